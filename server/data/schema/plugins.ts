import type { Bit, Ms } from './values.ts';

export interface Plugins {
  identifier: string;
  enabled: Bit;
  settings: string;
  secrets: string;
  revision: number;
  updated_ms: Ms;
}

export interface PluginBudgets {
  identifier: string;
  day: string;
  credits: number;
}

export interface PluginsTables {
  plugins: Plugins;
  plugin_budgets: PluginBudgets;
}

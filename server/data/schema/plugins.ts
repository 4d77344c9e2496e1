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

export interface PluginPackages {
  identifier: string;
  version: string;
  manifest: string;
  digest: string;
  signer: string | null;
  size: number;
  granted: string;
  granted_ms: Ms;
  granted_by: string | null;
  installed_ms: Ms;
  updated_ms: Ms;
  storage_bytes: number;
  storage_keys: number;
  stopped_cause: string | null;
  stopped_text: string | null;
  stopped_ms: Ms | null;
}

export interface PluginModules {
  identifier: string;
  server_code: string;
  client_code: string;
}

export interface PluginUploads {
  id: string;
  manifest: string;
  server_code: string;
  client_code: string;
  digest: string;
  signer: string | null;
  size: number;
  created_ms: Ms;
}

export interface PluginKeys {
  public_key: string;
  author: string;
  known_ms: Ms;
}

export interface PluginStorage {
  identifier: string;
  name: string;
  value: string;
}

export interface PluginEvents {
  number: number;
  event_id: string;
  name: string;
}

export interface PluginCursors {
  identifier: string;
  heard: number;
  tries: number;
  next_ms: Ms;
}

export interface PluginTasks {
  identifier: string;
  name: string;
  next_ms: Ms;
  due_ms: Ms | null;
  tries: number;
  retry_ms: Ms;
}

export interface DiscordGuild {
  id: string;
  guild_id: string;
  name: string;
  roles: string;
  fault: string | null;
  fault_ms: Ms | null;
  checked_ms: Ms | null;
  rules: string;
  revision: number;
}

export interface DiscordRoleMembers {
  subject: string;
  user_id: string;
  guild_id: string;
  given: string;
  wanted: string;
  state: 'done' | 'absent' | 'refused';
  next_ms: Ms;
  unlinked_ms: Ms | null;
}

export interface PluginsTables {
  discord_guild: DiscordGuild;
  discord_role_members: DiscordRoleMembers;
  plugin_packages: PluginPackages;
  plugin_modules: PluginModules;
  plugin_uploads: PluginUploads;
  plugin_keys: PluginKeys;
  plugin_storage: PluginStorage;
  plugin_events: PluginEvents;
  plugin_cursors: PluginCursors;
  plugin_tasks: PluginTasks;
  plugins: Plugins;
  plugin_budgets: PluginBudgets;
}

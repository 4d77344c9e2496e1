import { drawings } from './icon-drawings.ts' with { type: 'macro' };
import type { APP_ICONS } from './icons-app.ts';

/**
 * Icons of the kit, the login screens and the system screens, our name for each beside Lucide's: they load with every
 * page.
 */
export const CORE_ICONS = drawings({
  alert: 'triangle-exclamation-point',
  'arrow-left': 'arrow-left',
  'arrow-right': 'arrow-right',
  check: 'check',
  'chevron-down': 'chevron-down',
  'chevron-right': 'chevron-right',
  'circle-alert': 'circle-exclamation-point',
  'circle-check': 'circle-check',
  clock: 'clock',
  copy: 'copy',
  eye: 'eye',
  'eye-off': 'eye-off',
  globe: 'globe',
  info: 'info',
  key: 'key-round',
  'log-in': 'log-in',
  'log-out': 'log-out',
  mail: 'mail',
  menu: 'menu',
  minus: 'minus',
  moon: 'moon',
  palette: 'palette',
  plus: 'plus',
  refresh: 'refresh-cw',
  search: 'search',
  server: 'server',
  'shield-check': 'shield-check',
  sun: 'sun',
  trash: 'trash',
  user: 'user',
  'wifi-off': 'wifi-off',
  x: 'x',
});

/** Name of an icon. Those of `icons-app.ts` are available once that module is loaded, which the signed-in shell does. */
export type IconName = keyof typeof CORE_ICONS | keyof typeof APP_ICONS;

const registry = new Map<string, string>(Object.entries(CORE_ICONS));

/** Adds icons that a part of the product brings along: path data by name. */
export function registerIcons(icons: Readonly<Record<string, string>>): void {
  for (const [name, icon] of Object.entries(icons)) registry.set(name, icon);
}

/** The path data behind a name. Throws when the module that registers it was not imported. */
export function iconOf(name: IconName): string {
  const icon = registry.get(name);
  if (icon === undefined)
    throw new Error(`Icon "${name}" is not registered: import #client/ui/icons-app.ts in this layout`);
  return icon;
}

/** Whether a text is the name of a registered icon, for names that come from data. */
export function isIconName(name: string): name is IconName {
  return registry.has(name);
}

import { __iconData as arrowDown } from 'lucide-react/icons/arrow-down';
import { __iconData as arrowLeft } from 'lucide-react/icons/arrow-left';
import { __iconData as arrowRight } from 'lucide-react/icons/arrow-right';
import { __iconData as check } from 'lucide-react/icons/check';
import { __iconData as chevronDown } from 'lucide-react/icons/chevron-down';
import { __iconData as chevronLeft } from 'lucide-react/icons/chevron-left';
import { __iconData as chevronRight } from 'lucide-react/icons/chevron-right';
import { __iconData as circleAlert } from 'lucide-react/icons/circle-exclamation-point';
import { __iconData as circleCheck } from 'lucide-react/icons/circle-check';
import { __iconData as circleX } from 'lucide-react/icons/circle-x';
import { __iconData as clock } from 'lucide-react/icons/clock';
import { __iconData as copy } from 'lucide-react/icons/copy';
import { __iconData as ellipsis } from 'lucide-react/icons/ellipsis';
import { __iconData as eye } from 'lucide-react/icons/eye';
import { __iconData as eyeOff } from 'lucide-react/icons/eye-off';
import { __iconData as globe } from 'lucide-react/icons/globe';
import { __iconData as info } from 'lucide-react/icons/info';
import { __iconData as keyRound } from 'lucide-react/icons/key-round';
import { __iconData as languages } from 'lucide-react/icons/languages';
import { __iconData as lock } from 'lucide-react/icons/lock';
import { __iconData as logIn } from 'lucide-react/icons/log-in';
import { __iconData as logOut } from 'lucide-react/icons/log-out';
import { __iconData as mail } from 'lucide-react/icons/mail';
import { __iconData as menu } from 'lucide-react/icons/menu';
import { __iconData as minus } from 'lucide-react/icons/minus';
import { __iconData as moon } from 'lucide-react/icons/moon';
import { __iconData as palette } from 'lucide-react/icons/palette';
import { __iconData as panelLeft } from 'lucide-react/icons/panel-left';
import { __iconData as plus } from 'lucide-react/icons/plus';
import { __iconData as refreshCw } from 'lucide-react/icons/refresh-cw';
import { __iconData as search } from 'lucide-react/icons/search';
import { __iconData as server } from 'lucide-react/icons/server';
import { __iconData as shieldCheck } from 'lucide-react/icons/shield-check';
import { __iconData as sun } from 'lucide-react/icons/sun';
import { __iconData as trash2 } from 'lucide-react/icons/trash';
import { __iconData as triangleAlert } from 'lucide-react/icons/triangle-exclamation-point';
import { __iconData as user } from 'lucide-react/icons/user';
import { __iconData as wifiOff } from 'lucide-react/icons/wifi-off';
import { __iconData as x } from 'lucide-react/icons/x';
import type { IconData } from './icon-data.ts';
import type { APP_ICONS } from './icons-app.ts';

/** Icons of the kit, the login screens and the system screens: they load with every page. */
export const CORE_ICONS = {
  alert: triangleAlert,
  'arrow-down': arrowDown,
  'arrow-left': arrowLeft,
  'arrow-right': arrowRight,
  check: check,
  'chevron-down': chevronDown,
  'chevron-left': chevronLeft,
  'chevron-right': chevronRight,
  'circle-alert': circleAlert,
  'circle-check': circleCheck,
  'circle-x': circleX,
  clock: clock,
  copy: copy,
  dots: ellipsis,
  eye: eye,
  'eye-off': eyeOff,
  globe: globe,
  info: info,
  key: keyRound,
  languages: languages,
  lock: lock,
  'log-in': logIn,
  'log-out': logOut,
  mail: mail,
  menu: menu,
  minus: minus,
  moon: moon,
  palette: palette,
  plus: plus,
  refresh: refreshCw,
  search: search,
  server: server,
  'shield-check': shieldCheck,
  sidebar: panelLeft,
  sun: sun,
  trash: trash2,
  user: user,
  'wifi-off': wifiOff,
  x: x,
} as const satisfies Record<string, IconData>;

/** Name of an icon. Those of `icons-app.ts` are there once its module is loaded, as the signed-in shell does. */
export type IconName = keyof typeof CORE_ICONS | keyof typeof APP_ICONS;

const registry = new Map<string, IconData>(Object.entries(CORE_ICONS));

/** Adds icons that a part of the product brings along. */
export function registerIcons(icons: Readonly<Record<string, IconData>>): void {
  for (const [name, icon] of Object.entries(icons)) registry.set(name, icon);
}

/** The drawing behind a name. Throws when the module that registers it was not imported, so it is seen at once. */
export function iconOf(name: IconName): IconData {
  const icon = registry.get(name);
  if (!icon) throw new Error(`Icon "${name}" is not registered: import #client/ui/icons-app.ts in this layout`);
  return icon;
}

/** Is this word the name of an icon that is loaded? For names that come from data. */
export function isIconName(name: string): name is IconName {
  return registry.has(name);
}

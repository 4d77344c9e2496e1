/**
 * What a visitor may set about the look and the speed of the pages (specification, sections 3, 5 and 9). One table:
 * every field with its default and its bounds. It is in the entry bundle, so it stays small; whatever only the panel
 * needs is with the panel.
 */

/** A number within bounds, on a step counted from the minimum; the maximum is always reachable. */
export interface NumberField {
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}
/** One of a closed list. */
export interface ChoiceField<T extends string = string> {
  readonly value: T;
  readonly of: readonly T[];
}
export type UiField = boolean | NumberField | ChoiceField;

const range = (value: number, min: number, max: number, step: number): NumberField => ({ value, min, max, step });
const choice = <const T extends string>(value: NoInfer<T>, of: readonly T[]): ChoiceField<T> => ({ value, of });

/** Transitions between pages (section 4). */
export const PAGE_TRANSITIONS = [
  'fade',
  'slide-right',
  'slide-left',
  'slide-up',
  'slide-down',
  'scale',
  'flip',
  'rotate',
] as const;
export type PageTransition = (typeof PAGE_TRANSITIONS)[number];
/** How parts of a page appear (section 4). */
export const PART_ANIMATIONS = ['fade', 'slide', 'scale', 'bounce'] as const;
/** Corners, as a share of those the design has; `xl` is the design itself. */
const RADIUS_SCALE = { none: 0, sm: 0.3, md: 0.55, lg: 0.8, xl: 1, full: 2.5 } as const;

/** What every part of the frame has. */
const part = {
  opacity: range(0.95, 0.1, 1, 0.05),
  radius: choice('xl', ['none', 'sm', 'md', 'lg', 'xl', 'full']),
  animation: choice('slide', PART_ANIMATIONS),
  blur: true,
};

/** Every field: a switch (its default), a number, or a choice. */
export const UI_FIELDS = {
  skin: {
    walking: true,
    autoRotate: false,
    zoom: range(0.8, 0.5, 1.5, 0.1),
    animationSpeed: range(1, 0.1, 3, 0.1),
    cameraLight: range(3, 0, 5, 0.1),
    globalLight: range(2.9, 0, 5, 0.1),
  },
  dropdown: part,
  sidebar: { ...part, blur: false },
  /** `customize`: the panel is opened from the profile menu alone, without a floating button. */
  topNav: { ...part, sticky: true, customize: false },
  notifications: {
    ...part,
    position: choice('bottom-right', ['bottom-right', 'bottom-left', 'top-right', 'top-left']),
  },
  performance: {
    zoom: range(1, 0.5, 1.5, 0.1),
    transitionSpeed: range(4.5, 0.5, 5, 0.1),
    frameRateLimit: range(75, 30, 144, 15),
    caching: true,
    assetCompression: true,
    lazyLoading: true,
    imageOptimization: true,
    preloading: true,
    reduceMotion: false,
  },
} as const;

type ValueOf<F> = F extends boolean
  ? boolean
  : F extends NumberField
    ? number
    : F extends ChoiceField<infer T>
      ? T
      : never;
type Table = typeof UI_FIELDS;
type UiGroup = keyof Table;
/** Complete and valid settings. */
export type UiSettings = { readonly [G in UiGroup]: { readonly [F in keyof Table[G]]: ValueOf<Table[G][F]> } };
/** Some fields of some groups. */
export type UiPatch = { readonly [G in UiGroup]?: Partial<UiSettings[G]> };

/** Rounds a number to the nearest step of its field; NaN and infinities become the default. */
export function snapToField(value: number, { value: initial, min, max, step }: NumberField): number {
  if (!Number.isFinite(value)) return initial;
  const inside = Math.min(max, Math.max(min, value));
  const below = min + Math.floor((inside - min) / step + 1e-6) * step;
  const above = Math.min(max, below + step);
  return Number((inside - below < above - inside ? below : above).toFixed(2));
}

function toValidValue(field: UiField, value: unknown): boolean | number | string {
  if (typeof field === 'boolean') return typeof value === 'boolean' ? value : field;
  if ('of' in field) return field.of.find((each) => each === value) ?? field.value;
  return typeof value === 'number' ? snapToField(value, field) : field.value;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Parses anything to complete, valid settings: missing and invalid fields get their default, numbers are clamped and
 * rounded, unknown fields dropped. Never throws.
 */
export function parseUiSettings(input: unknown): UiSettings {
  const given = isRecord(input) ? input : {};
  return Object.fromEntries(
    Object.entries<Readonly<Record<string, UiField>>>(UI_FIELDS).map(([group, fields]) => {
      const own = given[group];
      const values = isRecord(own) ? own : {};
      return [
        group,
        Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toValidValue(field, values[name])])),
      ];
    }),
  ) as UiSettings;
}

/** The settings of section 9. */
export const UI_DEFAULTS: UiSettings = parseUiSettings(null);

/** A known transition; fade for anything else. */
export function toTransition(input: unknown): PageTransition {
  return PAGE_TRANSITIONS.find((each) => each === input) ?? 'fade';
}

/** Groups of no use to the server. */
const BROWSER_ONLY: readonly string[] = ['skin'] satisfies UiGroup[];

/** The cookie's value: `group.field:value` of every field that is not the default, joined by `&`; empty when nothing is. */
export function writeUiCookie(settings: UiSettings, transition: PageTransition): string {
  const changed = Object.entries<Readonly<Record<string, boolean | number | string>>>(settings).flatMap(
    ([group, values]) => {
      if (BROWSER_ONLY.includes(group)) return [];
      const initial: Readonly<Record<string, unknown>> = UI_DEFAULTS[group as UiGroup];
      return Object.entries(values).flatMap(([name, value]) =>
        value === initial[name] ? [] : [`${group}.${name}:${value}`],
      );
    },
  );
  return [...(transition === 'fade' ? [] : [`transition:${transition}`]), ...changed].join('&');
}

/** What a cookie says, checked like everything from outside: only known names and values within bounds come out. */
export function readUiCookie(cookie: string | null): {
  readonly settings: UiSettings;
  readonly transition: PageTransition;
} {
  const groups: Record<string, Record<string, unknown>> = {};
  let transition: unknown = null;
  for (const entry of (cookie ?? '').split('&')) {
    const [, group = '', name = '', text = ''] = /^(\w+)(?:\.(\w+))?:([\w.-]+)$/.exec(entry) ?? [];
    if (group === 'transition') transition = text;
    else if (Object.hasOwn(UI_FIELDS, group))
      (groups[group] ??= {})[name] =
        text === 'true' ? true : text === 'false' ? false : Number.isNaN(Number(text)) ? text : Number(text);
  }
  return { settings: parseUiSettings(groups), transition: toTransition(transition) };
}

/** Below this opacity, the background behind a part is dimmed, so that text keeps its contrast. */
const TINTED_BELOW = 0.9;

/**
 * The settings as custom properties of `styles/tokens.css`: those that are not the default, so that a host's own tokens
 * apply otherwise. Every value is a number or one of a closed list: no untrusted text gets into the style.
 */
export function uiProperties(settings: UiSettings): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  const setProperty = <T>(name: string, value: T, initial: T, text: string) => {
    if (value !== initial) all[name] = text;
  };
  for (const group of ['dropdown', 'sidebar', 'topNav', 'notifications'] as const) {
    const { opacity, radius, animation, blur } = settings[group];
    const initial = UI_DEFAULTS[group];
    const name = `--${group.toLowerCase()}`;
    setProperty(`${name}-opacity`, opacity, initial.opacity, String(opacity));
    setProperty(`${name}-radius`, radius, initial.radius, String(RADIUS_SCALE[radius]));
    setProperty(`${name}-animation`, animation, initial.animation, `sp-part-${animation}`);
    const filter =
      [...(blur ? ['blur(12px)'] : []), ...(opacity < TINTED_BELOW ? ['var(--glass-tone)'] : [])].join(' ') || 'none';
    setProperty(`${name}-filter`, filter, initial.blur ? 'blur(12px)' : 'none', filter);
  }
  // The sidebar lies on the page's canvas: both are translucent over the same picture.
  setProperty('--bg-opacity', settings.sidebar.opacity, UI_DEFAULTS.sidebar.opacity, String(settings.sidebar.opacity));
  const { zoom, transitionSpeed } = settings.performance;
  setProperty('--zoom', zoom, UI_DEFAULTS.performance.zoom, String(zoom));
  setProperty('--speed', transitionSpeed, UI_DEFAULTS.performance.transitionSpeed, String(transitionSpeed));
  return all;
}

/** The settings as data attributes of the document's element; null: the default, which has no attribute. */
export function uiAttributes(
  settings: UiSettings,
  transition: PageTransition,
): Readonly<Record<string, string | null>> {
  const { position } = settings.notifications;
  return {
    'data-transition': transition === 'fade' ? null : transition,
    'data-motion': settings.performance.reduceMotion ? 'reduce' : null,
    'data-topnav': settings.topNav.sticky ? null : 'static',
    'data-fab': settings.topNav.customize ? 'menu' : null,
    'data-toasts': position === 'bottom-right' ? null : position,
    'data-glass': settings.sidebar.opacity < UI_DEFAULTS.sidebar.opacity ? '' : null,
  };
}

/** Id of the style element in which the server writes the properties; the browser takes them over. */
export const UI_STYLE_ID = 'sp-ui';
/** The properties as a rule for that element; empty when all have their default. */
export function uiStyle(settings: UiSettings): string {
  const declarations = Object.entries(uiProperties(settings)).map(([name, value]) => `${name}:${value}`);
  return declarations.length === 0 ? '' : `:root{${declarations.join(';')}}`;
}

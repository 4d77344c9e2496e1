import { contrast, toHex, toOklch } from './colour.ts';
import { isHexColour } from './hex-colour.ts';
import type { Theme } from './themes.ts';

/** The accent colour of the host: which tokens of styles/tokens.css it replaces, and whether it can be seen. */

/** What the accent lies on, as styles/tokens.css has it: `--surface-0` to `--surface-3`. */
export const SURFACES: Readonly<Record<Theme, readonly string[]>> = {
  dark: ['oklch(0.186 0.014 256)', 'oklch(0.222 0.015 256)', 'oklch(0.263 0.016 256)', 'oklch(0.288 0.017 256)'],
  light: ['oklch(0.972 0.004 85)', 'oklch(0.995 0.002 85)', 'oklch(0.95 0.005 85)', 'oklch(1 0 0)'],
};
/** Contrast by WCAG 2 AA: of what is drawn (a focus ring, an icon), and of text. */
export const DRAWN_MIN = 3;
export const TEXT_MIN = 4.5;

/** Lightness of hover, and of the quiet tones with their share of the accent's chroma, as the product's own have it. */
const TONES = {
  dark: { hover: 0.05, soft: [0.285, 0.29], wash: [0.252, 0.19], line: [0.48, 0.61] },
  light: { hover: -0.05, soft: [0.945, 0.32], wash: [0.966, 0.2], line: [0.72, 0.91] },
} as const;
const LIGHTNESS_STEP = 0.005;

/** The least contrast that a colour has with the surfaces of a theme. In: colours as `#rrggbb`. */
const leastContrast = (colour: string, on: readonly string[]): number =>
  Math.min(...on.map((each) => contrast(colour, each)));

/** The same colour, lighter in the dark theme and darker in the light one, until it has a contrast with all of `on`. */
function readable(colour: string, theme: Theme, on: readonly string[], min: number): string {
  const { l, c, h } = toOklch(colour);
  const step = theme === 'dark' ? LIGHTNESS_STEP : -LIGHTNESS_STEP;
  let found = colour;
  for (let at = l; leastContrast(found, on) < min && at >= 0 && at <= 1; at += step) found = toHex({ l: at, c, h });
  return found;
}

/** Black or white with a breath of the accent; without it where that could not be read. One of the two always can. */
function labelOn(colour: string): string {
  const { c, h } = toOklch(colour);
  const tones = [toHex({ l: 0.2, c: Math.min(c, 0.035), h }), toHex({ l: 0.995, c: Math.min(c, 0.005), h })];
  const best = (of: readonly string[]) => of.reduce((a, b) => (contrast(a, colour) >= contrast(b, colour) ? a : b));
  const tinted = best(tones);
  return contrast(tinted, colour) >= TEXT_MIN ? tinted : best(['#000000', '#ffffff']);
}

/**
 * The design tokens of an accent colour in a theme: its own, hover, text (readable whatever the colour is), label on
 * it, quiet tones. In: `#rrggbb`; anything else has no tokens, so that the product's own apply.
 */
export function accentTokens(colour: string, theme: Theme): Readonly<Record<string, string>> {
  if (!isHexColour(colour)) return {};
  const { l, c, h } = toOklch(colour);
  const tone = ([lightness, share]: readonly [number, number]): string => toHex({ l: lightness, c: c * share, h });
  const { hover, soft, wash, line } = TONES[theme];
  const quiet = [tone(soft), tone(wash)];
  return {
    '--accent': colour.toLowerCase(),
    '--accent-hover': toHex({ l: Math.min(1, Math.max(0, l + hover)), c, h }),
    '--accent-text': readable(colour, theme, [...SURFACES[theme], ...quiet], TEXT_MIN),
    '--on-accent': labelOn(colour),
    '--accent-soft': tone(soft),
    '--accent-wash': tone(wash),
    '--accent-line': tone(line),
  };
}

/** How well an accent can be seen. */
interface AccentCheck {
  /** The least contrast with the surfaces of the theme; from `DRAWN_MIN` it can be seen. */
  readonly surface: number;
  /** The contrast of the label of a button with the button: at least `TEXT_MIN`. */
  readonly label: number;
  /** The nearest lightness of the same colour that can be seen; the colour itself where it can. */
  readonly better: string;
}

/** Checks an accent colour against a theme. In: `#rrggbb`; null for anything else. */
export function checkAccent(colour: string, theme: Theme): AccentCheck | null {
  if (!isHexColour(colour)) return null;
  return {
    surface: leastContrast(colour, SURFACES[theme]),
    label: contrast(labelOn(colour), colour),
    better: readable(colour, theme, SURFACES[theme], DRAWN_MIN),
  };
}

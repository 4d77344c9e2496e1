import { isHexColour } from './hex-colour.ts';

/** A colour in OKLCH: lightness 0 to 1, chroma from 0, hue in degrees. */
interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}
/** Red, green and blue, each 0 to 1. */
type Rgb = readonly [number, number, number];

/** The ratio of contrast of two colours by WCAG 2: from 1 (the same) to 21. In: colours as `#rrggbb` or `oklch(l c h)`. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(toRgb(one)), luminance(toRgb(other))].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** In: a colour as `#rrggbb`. Throws nothing: anything else is black. */
export function toOklch(hex: string): Oklch {
  const [r, g, b] = toRgb(hex).map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const bee = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const hue = (Math.atan2(bee, a) * 180) / Math.PI;
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    c: Math.hypot(a, bee),
    h: hue < 0 ? hue + 360 : hue,
  };
}

/** The colour as `#rrggbb`; one that screens cannot show is made paler until they can. */
export function toHex({ l, c, h }: Oklch): string {
  let chroma = c;
  // A fiftieth of the way at a time: the eye does not see the last step.
  for (let step = 0; step < 50 && !isShown(oklchToLinear({ l, c: chroma, h })); step += 1) chroma -= c / 50;
  const parts = oklchToLinear({ l, c: Math.max(0, chroma), h }).map((part) =>
    Math.round(gamma(Math.min(1, Math.max(0, part))) * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${parts.join('')}`;
}

/** A colour as `#rrggbb`. In: that, or `oklch(l c h)`. */
export function asHex(colour: string): string {
  const named = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(colour);
  return named ? toHex({ l: Number(named[1]), c: Number(named[2]), h: Number(named[3]) }) : colour;
}

function toRgb(colour: string): Rgb {
  const hex = asHex(colour);
  const number = isHexColour(hex) ? Number.parseInt(hex.slice(1), 16) : 0;
  return [number >> 16, (number >> 8) & 255, number & 255].map((part) => part / 255) as [number, number, number];
}

function oklchToLinear({ l, c, h }: Oklch): Rgb {
  const angle = (h * Math.PI) / 180;
  const [a, b] = [c * Math.cos(angle), c * Math.sin(angle)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

const isShown = (rgb: Rgb): boolean => rgb.every((part) => part >= -0.0005 && part <= 1.0005);
const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const gamma = (part: number): number => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055);

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map(linear) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

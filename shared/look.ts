import { accentTokens, SURFACES } from './accent.ts';
import type { Theme } from './themes.ts';
import { asHex } from './colour.ts';
import { isPictureId, pictureUrl } from './picture-url.ts';

/** The settings that the look of every page follows from. */
export interface LookSettings {
  readonly accent_dark: string;
  readonly accent_light: string;
  readonly background_picture: string;
  /** Hundredths of the background picture that are covered. */
  readonly background_cover: number;
}

/** The colour that pages lie on, as `#rrggbb`. */
export const PAGE_COLOURS: Readonly<Record<Theme, string>> = {
  dark: asHex(SURFACES.dark[0] ?? ''),
  light: asHex(SURFACES.light[0] ?? ''),
};

/** `--bg-opacity` of styles/tokens.css, in hundredths. */
const COVER_DEFAULT = 95;

/** Id of the style element with the host's tokens. */
export const LOOK_STYLE_ID = 'sp-look';

/** The tokens that the host's settings replace in a theme, by their name; empty where the product's own apply. */
export function lookTokens(settings: LookSettings, theme: Theme): Readonly<Record<string, string>> {
  return accentTokens(theme === 'dark' ? settings.accent_dark : settings.accent_light, theme);
}

/** The picture behind the pages as tokens; a narrow screen gets a smaller one. */
const backgroundTokens = ({ background_picture: id }: LookSettings, form: 'wide' | 'narrow'): Record<string, string> =>
  isPictureId(id) ? { '--bg-image': `url("${pictureUrl(id, form)}")` } : {};

const rule = (selector: string, tokens: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(tokens).map(([name, value]) => `${name}:${value}`);
  return lines.length === 0 ? '' : `${selector}{${lines.join(';')}}`;
};

function background(settings: LookSettings): string {
  const wide = backgroundTokens(settings, 'wide');
  const isCovered = settings.background_cover === COVER_DEFAULT || Object.keys(wide).length === 0;
  const cover = isCovered ? {} : { '--bg-opacity': String(settings.background_cover / 100) };
  const narrow = rule(':root', backgroundTokens(settings, 'narrow'));
  return rule(':root', { ...wide, ...cover }) + (narrow && `@media (max-width:767px){${narrow}}`);
}

/**
 * The host's tokens as the text of a style element; '' where there are none. In the layer of the product's tokens, so
 * that a visitor's own settings and the host's stylesheet win over them. Every value is made here: nothing that was
 * typed gets into the style.
 */
export function lookStyle(settings: LookSettings): string {
  const rules =
    // Not of `:root` as well: it would win over the product's own accent of the light theme.
    rule("[data-theme='dark']", lookTokens(settings, 'dark')) +
    rule("[data-theme='light']", lookTokens(settings, 'light')) +
    background(settings);
  return rules === '' ? '' : `@layer tokens{${rules}}`;
}

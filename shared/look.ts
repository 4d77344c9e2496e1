import { accentTokens, type Theme } from './accent.ts';

/** The settings that the look of every page follows from. */
export interface LookSettings {
  readonly accent_dark: string;
  readonly accent_light: string;
}

/** Id of the style element with the host's tokens. */
export const LOOK_STYLE_ID = 'sp-look';

/** The tokens that the host's settings replace in a theme, by their name; empty where the product's own apply. */
export function lookTokens(settings: LookSettings, theme: Theme): Readonly<Record<string, string>> {
  return accentTokens(theme === 'dark' ? settings.accent_dark : settings.accent_light, theme);
}

const rule = (selector: string, tokens: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(tokens).map(([name, value]) => `${name}:${value}`);
  return lines.length === 0 ? '' : `${selector}{${lines.join(';')}}`;
};

/**
 * The host's tokens as the text of a style element; '' where there are none. In the layer of the product's tokens, so
 * that a visitor's own settings and the host's stylesheet win over them. Every value is made here: nothing that was
 * typed gets into the style.
 */
export function lookStyle(settings: LookSettings): string {
  const rules =
    rule(":root,[data-theme='dark']", lookTokens(settings, 'dark')) +
    rule("[data-theme='light']", lookTokens(settings, 'light'));
  return rules === '' ? '' : `@layer tokens{${rules}}`;
}

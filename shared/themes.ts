/** The themes there are. */
export const THEMES = ['dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

/** The product's own accent, `--accent` of styles/tokens.css, for whoever has to show it beside another. */
export const OWN_ACCENT: Readonly<Record<Theme, string>> = { dark: '#40d4a6', light: '#007c5d' };

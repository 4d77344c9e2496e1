import { THEMES, type Theme } from '#shared/themes.ts';
import { THEME_COOKIE, UI_COOKIE } from '#shared/constants.ts';
import { readUiCookie, uiAttributes, uiStyle } from '#shared/ui-settings.ts';
import { readCookie } from '#server/http/cookies.ts';

/**
 * What the visitor's UI settings do to the document: attributes of <html>, and the text of a style element (empty: none
 * is needed).
 */
interface DocumentUi {
  readonly attributes: Readonly<Record<string, string | null>>;
  readonly style: string;
}
const PLAIN: DocumentUi = { attributes: {}, style: '' };

/**
 * Reads the settings from the request's Cookie header, so that the first byte looks as the visitor wants it. Only known
 * values come through.
 */
export function documentUi(cookieHeader: string | null): DocumentUi {
  const cookie = readCookie(cookieHeader, UI_COOKIE);
  if (!cookie) return PLAIN;
  const { settings, transition } = readUiCookie(cookie);
  return { attributes: uiAttributes(settings, transition), style: uiStyle(settings) };
}

/** The theme that the visitor has chosen, or else the host's. In: the request's Cookie header, the host's theme. */
export function themeOf(cookieHeader: string | null, fallback: Theme): Theme {
  const chosen = readCookie(cookieHeader, THEME_COOKIE);
  return THEMES.find((each) => each === chosen) ?? fallback;
}

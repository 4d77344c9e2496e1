import { LOCALE_COOKIE, STORAGE } from '#shared/constants.ts';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';

const YEAR_S = 365 * 24 * 3600;

/**
 * A script for the head of a page: loads the saved language (specification, sections 2 and 3). The server goes by the
 * cookie that mirrors it; where local storage says another one, the cookie is set right and the page asked for again,
 * before anything of it is painted: no text flashes, and what is hydrated is what the server made. A browser that keeps
 * no cookies stays with what it got. In: the language of the page.
 */
export function savedLocaleScript(locale: Locale): string {
  return (
    `try{var s=(localStorage.getItem(${JSON.stringify(STORAGE.locale)})||'').toLowerCase();` +
    `if(s!==${JSON.stringify(locale)}&&/^(?:${LOCALES.join('|')})$/.test(s)){` +
    `document.cookie=${JSON.stringify(`${LOCALE_COOKIE}=`)}+s+'; Path=/; Max-Age=${YEAR_S}; SameSite=Lax';` +
    `if(document.cookie.split('; ').indexOf(${JSON.stringify(`${LOCALE_COOKIE}=`)}+s)>=0)location.reload()}}catch(e){}`
  );
}

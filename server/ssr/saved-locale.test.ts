import { expect, test } from 'bun:test';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { savedLocaleScript } from './saved-locale.ts';

/** Runs the script in a browser of its own. Out: its cookies afterwards, and how often the page was asked for again. */
function run(
  page: Locale,
  stored: string | null,
  { cookies = '', keeps = true, readable = true } = {},
): { cookies: string; reloads: number } {
  const jar = new Map(
    cookies
      .split('; ')
      .filter(Boolean)
      .map((pair) => pair.split('=') as [string, string]),
  );
  let reloads = 0;
  const document = {
    get cookie() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    },
    set cookie(line: string) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (keeps) jar.set(name, value);
    },
  };
  const localStorage = {
    getItem(key: string) {
      if (!readable) throw new Error('forbidden');
      return key === 'preferredLocale' ? stored : null;
    },
  };
  // oxlint-disable-next-line no-new-func -- the script as a browser runs it
  new Function('localStorage', 'document', 'location', savedLocaleScript(page))(localStorage, document, {
    reload: () => void (reloads += 1),
  });
  return { cookies: document.cookie, reloads };
}

test('Screen 11 a saved language that the page is not in is asked for, by the cookie that the server reads', () => {
  for (const locale of LOCALES) {
    const other = locale === 'fr' ? 'de' : 'fr';
    expect(run(other, locale.toUpperCase())).toEqual({ cookies: `locale=${locale}`, reloads: 1 });
    expect(run(other, locale, { cookies: `a=1; locale=${other}` })).toEqual({
      cookies: `a=1; locale=${locale}`,
      reloads: 1,
    });
  }
});

test('Screen 11 nothing happens where the page is in the saved language, none or nonsense is saved, or storage is forbidden', () => {
  for (const stored of ['DE', 'de', null, '', 'XX', 'DEUTSCH', '<script>', 'constructor'])
    expect(run('de', stored)).toEqual({ cookies: '', reloads: 0 });
  expect(run('de', 'FR', { readable: false })).toEqual({ cookies: '', reloads: 0 });
});

test('Screen 11 a browser that keeps no cookies is not sent round in circles', () => {
  expect(run('de', 'FR', { keeps: false })).toEqual({ cookies: '', reloads: 0 });
  expect(run('de', 'FR', { keeps: false, cookies: 'locale=de' })).toEqual({ cookies: 'locale=de', reloads: 0 });
});

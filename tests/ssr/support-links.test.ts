import { afterAll, beforeAll, expect, test } from 'bun:test';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';
import { textsOf } from '#tests/support/texts.ts';

// Shows behaviour 8.4: pages whose text sends somebody to the host link where the host gives help, in every language.

const HELP = { support_url: 'https://help.lantern.example/?a=1&b=2', support_email: 'help@lantern.example' };
const PAGE = 'href="https://help.lantern.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"';
/** Pages of an installation without mail, catalogue and own legal texts, each with the text that asks for the host. */
const SENDING = [
  ['passwordReset', 'noMail', href('auth.forgot'), 'guest'],
  ['emailChange', 'badUndoText', '/auth/email?undo=yes', 'guest'],
  ['system', 'forbidden.text', href('errors.403'), 'guest'],
  ['system', 'serverError.text', href('errors.500'), 'guest'],
  ['system', 'legal.nameOnly', href('terms'), 'guest'],
  ['system', 'privacy.rightsText', href('privacy'), 'guest'],
  ['account', 'supportPinText', href('account'), 'player'],
  ['emailChange', 'pendingKept', href('account'), 'player'],
  ['servers', 'noLocations', href('server.create'), 'player'],
  ['servers', 'noSoftware', href('server.create'), 'player'],
] as const;

let harness: Harness;
let pages: Pages;
let player: Person;
beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  player = await harness.person('player');
  await player.api.accountEmail.request({ body: { email: 'new@mail.example', password: PASSWORD } });
});
afterAll(() => harness.close());

async function htmlOf(path: string, who: 'guest' | 'player', locale: Locale): Promise<string> {
  if (who === 'player') await harness.db.sql('UPDATE users SET locale = ? WHERE id = ?', [locale, player.id]);
  const headers = { Cookie: `locale=${locale}` };
  const response = await pages.get(path, { headers, ...(who === 'player' ? { secret: player.secret } : {}) });
  return (await response.text()).replaceAll('&#x27;', "'").replaceAll('&quot;', '"').replaceAll('<!-- -->', '');
}

/** The end of a text as its language writes it, after whatever is filled in. */
function endOf(locale: Locale, namespace: string, key: string): string {
  const text = textsOf(locale, namespace)[key] ?? '';
  const end = (text.split('}}').at(-1) ?? '').replaceAll(/<[^>]+>/g, '').trim();
  expect(end, `${locale} ${namespace}.${key}`).not.toBe('');
  return end;
}

test.each(LOCALES.map((locale) => [locale] as const))(
  'each page that sends somebody to the host has its page and address beside that text in %s',
  async (locale) => {
    for (const [namespace, key, path, who] of SENDING) {
      await harness.set({ support_url: '', support_email: '' });
      const end = endOf(locale, namespace, key);
      const plain = await htmlOf(path, who, locale);
      expect([locale, key, plain.includes(end), plain.includes('sp-support')]).toEqual([locale, key, true, false]);
      await harness.set(HELP);
      const html = await htmlOf(path, who, locale);
      // The privacy policy has it once, where it says who runs the host.
      const beside = key === 'privacy.rightsText' ? html : html.slice(html.indexOf(end)).slice(0, 600);
      expect([locale, key, beside.includes(PAGE)]).toEqual([locale, key, true]);
      expect([locale, key, beside.includes(`href="mailto:${HELP.support_email}"`)]).toEqual([locale, key, true]);
    }
  },
);

import { describe, expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';
import { textsOf } from '#tests/support/texts.ts';
import { changesIn, clearName, controlText, seenName, seenOf, typedTexts, type SettingValue } from './form.ts';

/** A form of settings as it was made, then with what was typed. */
function formOf(
  stored: Partial<Record<SettingKey, SettingValue>>,
  typed: Record<string, string | null> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(stored)) {
    const key = name as SettingKey;
    form.set(seenName(key), seenOf(key, { value, revision: 3 }, 'EUR'));
    const text = controlText(key, value, 'EUR');
    if (typeof value !== 'boolean' || value) form.set(key, text);
  }
  for (const [name, text] of Object.entries(typed)) {
    if (text === null) form.delete(name);
    else form.set(name, text);
  }
  return form;
}

describe('the form of settings', () => {
  const stored = {
    app_name: 'Lantern',
    payment_min: 499,
    tax_rate: 1900,
    store_enabled: true,
    allow_tickets: false,
    custom_css: 'a {\n}',
    stripe_secret_key: '',
  } as const;

  test('what nobody touched is no change, whatever browsers do to line breaks', () => {
    expect(changesIn(formOf(stored), 'EUR')).toEqual([]);
    expect(changesIn(formOf(stored, { custom_css: 'a {\r\n}', app_name: ' Lantern ' }), 'EUR')).toEqual([]);
  });

  test('money and percentages are read as they are typed, switches by their box, and what is no number stays text', () => {
    const typed = { payment_min: '5', tax_rate: '8,1', store_enabled: null, allow_tickets: 'on' };
    expect(changesIn(formOf(stored, typed), 'EUR')).toEqual([
      { key: 'payment_min', value: 500, revision: 3 },
      { key: 'tax_rate', value: 810, revision: 3 },
      { key: 'store_enabled', value: false, revision: 3 },
      { key: 'allow_tickets', value: true, revision: 3 },
    ]);
    expect(changesIn(formOf(stored, { payment_min: 'much' }), 'EUR')).toEqual([
      { key: 'payment_min', value: 'much', revision: 3 },
    ]);
  });

  test('T50 a secret changes where one is typed or emptied, and is never among the texts to restore', () => {
    const form = formOf(stored, { stripe_secret_key: 'hush', app_name: 'Other' });
    expect(changesIn(form, 'EUR').map(({ key, value }) => [key, value])).toEqual([
      ['app_name', 'Other'],
      ['stripe_secret_key', 'hush'],
    ]);
    expect(typedTexts(form, changesIn(form, 'EUR'))).toEqual({ app_name: 'Other' });
    const cleared = formOf(stored, { [clearName('stripe_secret_key')]: 'on' });
    expect(changesIn(cleared, 'EUR')).toEqual([{ key: 'stripe_secret_key', value: '', revision: 3 }]);
  });

  test('names that are no settings are left alone', () => {
    const form = new FormData();
    for (const name of ['__proto__', 'constructor', 'nonsense']) form.set(seenName(name), '1.x');
    expect(changesIn(form, 'EUR')).toEqual([]);
  });
});

/** What sources say of their own settings, by the settings' keys. */
const ownOfSources = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key.replace(/^\w+\.settings\./, ''), text]));

test.each(LOCALES.map((locale) => [locale]))(
  'behaviour 8.4: every setting has a name and a help in %s, and each that asks says why',
  (locale) => {
    const texts = { ...textsOf(locale, 'settings'), ...ownOfSources(textsOf(locale, 'sources')) };
    const shared = (key: string): string =>
      key
        .replace(/^[a-z0-9_]+_(daily_(?:cap|budget))$/, 'every.$1')
        .replace(/^link_(?:linkvertise|shareus|linkpays|gyanilinks|generic)_/, 'every.link_');
    const missing = Object.entries<SettingRow>(SETTINGS).flatMap(([key, row]) => [
      ...['label', 'help']
        .filter((part) => !(texts[`${key}.${part}`] ?? texts[`${shared(key)}.${part}`]))
        .map((part) => `${key}.${part}`),
      ...(row.asks && !texts[`asks.${key}`] ? [`asks.${key}`] : []),
      ...(row.type === 'text' && row.choices && key !== 'app_lang'
        ? row.choices.filter((choice) => !texts[`choice.${choice}`])
        : []),
    ]);
    expect(missing).toEqual([]);
  },
);

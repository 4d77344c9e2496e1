import { expect, test } from 'bun:test';
import type { NamespaceTexts } from '#client/lib/i18n-instance.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { createServerTexts } from './texts.ts';

const TEXTS: Partial<Record<Locale, NamespaceTexts>> = {
  en: { ui: { today: 'Today', cancel: 'Cancel' }, startup: { title: 'Loading' } },
  de: { ui: { today: 'Heute' } },
};

test('the texts of a language are read once, with its first page, and those of English to fall back to', () => {
  const read: Locale[] = [];
  const texts = createServerTexts((locale) => {
    read.push(locale);
    return TEXTS[locale] ?? {};
  });
  expect(read).toEqual([]);
  const { t } = texts.translator('de');
  expect([t('ui')('today'), t('ui')('cancel')]).toEqual(['Heute', 'Cancel']);
  expect(texts.translator('de')).toBe(texts.translator('de'));
  expect(texts.startTexts('de')).toEqual({ title: 'Loading' });
  expect(texts.translator('en').t('ui')('today')).toBe('Today');
  expect(read.toSorted()).toEqual(['de', 'en']);
});

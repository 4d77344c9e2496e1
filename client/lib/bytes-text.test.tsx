import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { LOCALES } from '#shared/i18n/locales.ts';
import { localeTexts } from '#tests/support/texts.ts';
import { useBytesText } from './bytes-text.ts';
import { createI18n } from './i18n-instance.ts';
import { createTranslator, I18nProvider } from './i18n.tsx';
import { useUnitText } from './unit-text.ts';

function Sizes() {
  const bytes = useBytesText();
  const unit = useUnitText();
  const sizes = [0, 1, 85_504, 1_048_575, 1_048_576, 432_013_312, 2_576_980_378].map((size) => bytes(size));
  return [...sizes, unit('memory'), unit('disk'), unit('cpu'), unit('ports')].join('; ');
}

test('sizes have the units of the reader’s language', () => {
  const shown = LOCALES.map((locale) => [
    locale,
    renderToStaticMarkup(
      <I18nProvider
        translator={createTranslator(createI18n(locale, { [locale]: localeTexts(locale) }), locale)}
        timeZone="UTC"
      >
        <Sizes />
      </I18nProvider>,
    ).replaceAll(/\s/g, ' '),
  ]);
  const elsewhere = '0 KB; 1 KB; 84 KB; 1.024 KB; 1 MB; 412 MB; 2,4 GB; MB; MB; %; ';
  expect(Object.fromEntries(shown)).toEqual({
    en: '0 KB; 1 KB; 84 KB; 1,024 KB; 1 MB; 412 MB; 2.4 GB; MB; MB; %; ',
    ro: elsewhere,
    md: elsewhere,
    de: elsewhere,
    es: elsewhere,
    fr: '0 Ko; 1 Ko; 84 Ko; 1 024 Ko; 1 Mo; 412 Mo; 2,4 Go; Mo; Mo; %; ',
  });
});

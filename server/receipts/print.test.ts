import { expect, test } from 'bun:test';
import type { Receipt } from '#shared/contract/payments.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { pdfText } from '#tests/support/pdf.ts';
import { printReceipt } from './print.ts';
import { receiptWords } from './texts.ts';

const RECEIPT: Receipt = {
  number: 'R-000042',
  issued_at: '2026-03-10T23:30:00.000Z',
  order: '01890000-0000-7000-8000-000000000001',
  seller: {
    name: 'Țărănești & Fiii S.R.L.',
    lines: ['Șoseaua Învățătorilor 7', '030001 București', 'România'],
    vat: 'RO1234567',
  },
  customer: { name: 'Ștefănița Pîrvu-Müller', username: 'stefi', email: 'stefi@example.org' },
  provider: 'stripe',
  label: 'Été à l’œuf',
  credits: 1000,
  bonus: 284,
  currency: 'EUR',
  net: 4202,
  tax: 798,
  tax_rate: 1900,
  amount: 5000,
  refunded: 0,
};
/** Spaces of every kind as one. */
const textOf = async (receipt: Receipt, locale: (typeof LOCALES)[number], zone = 'UTC') =>
  pdfText(await printReceipt(receipt, locale, zone)).map((line) => line.replaceAll(/\s/g, ' '));

test('a receipt can be read back sign by sign: Romanian signs, accents and the euro', async () => {
  const lines = await textOf(RECEIPT, 'ro', 'Europe/Bucharest');
  for (const line of [
    'Chitanța R-000042',
    'Țărănești & Fiii S.R.L.',
    'Șoseaua Învățătorilor 7',
    '030001 București',
    'Cod fiscal RO1234567',
    'Ștefănița Pîrvu-Müller',
    'Été à l’œuf: 1.284 de credite',
    '50,00 EUR',
    'Taxă 19 %',
    '7,98 EUR',
    '42,02 EUR',
  ]) {
    expect(lines).toContain(line);
  }
  // By the zone it is already the next day.
  expect(lines).toContain('Emisă: 11 martie 2026');
  expect(lines.join('')).not.toContain('\uFFFD');
});

test('every language has its words, its way to write money, and no sign that the font lacks', async () => {
  for (const locale of LOCALES) {
    const lines = await textOf({ ...RECEIPT, refunded: 1250 }, locale);
    const { texts, fill } = receiptWords(locale);
    for (const word of [
      texts.seller,
      texts.customer,
      texts.total,
      texts.refundedSum,
      texts.thanks,
      fill(texts.receiptNo, { number: 'R-000042' }),
    ])
      expect({ locale, lines }).toEqual({ locale, lines: expect.arrayContaining([word.replaceAll(/\s/g, ' ')]) });
    expect({ locale, missing: lines.join('').includes('\uFFFD') || lines.join('').includes('\u0000') }).toEqual({
      locale,
      missing: false,
    });
  }
  expect(await textOf(RECEIPT, 'de')).toContain('50,00 €');
  expect(await textOf(RECEIPT, 'en')).toContain('€50.00');
});

test('currencies without minor units and with three digits are printed, and no line of tax where there is none', async () => {
  const yen = await textOf({ ...RECEIPT, currency: 'JPY', amount: 500, net: 500, tax: 0, tax_rate: 0 }, 'en');
  expect(yen.filter((line) => line === 'JP¥500')).toHaveLength(2);
  expect(yen.filter((line) => /^Tax \d/.test(line))).toEqual([]);
  expect(yen).not.toContain('Net');
  expect(await textOf({ ...RECEIPT, currency: 'KWD', amount: 1234, net: 1234, tax: 0, tax_rate: 0 }, 'en')).toContain(
    'KWD 1.234',
  );
});

test('the receipt is a file of a few kilobytes that says what it is', async () => {
  const bytes = await printReceipt(RECEIPT, 'fr', 'UTC');
  expect(Buffer.from(bytes.slice(0, 5)).toString()).toBe('%PDF-');
  expect(bytes.length).toBeLessThan(40_000);
});

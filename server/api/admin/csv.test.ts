import { expect, test } from 'bun:test';
import { toCsvFile } from './csv.ts';

test('Screen 8 a file has money in decimals of its currency, under a name without minor units', () => {
  const rows = [
    { name: 'Starter', price_minor: 499, currency: 'EUR', visible: true },
    { name: 'Starter JP', price_minor: 500, currency: 'JPY', visible: false },
    { name: 'Free', price_minor: null, currency: 'EUR', visible: true },
  ];
  expect(toCsvFile(['name', 'price_minor', 'currency', 'visible'], rows).trimEnd().split('\r\n')).toEqual([
    'name,price,currency,visible',
    'Starter,4.99,EUR,true',
    'Starter JP,500,JPY,false',
    'Free,,EUR,true',
  ]);
});

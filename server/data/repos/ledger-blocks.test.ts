import { expect, test } from 'bun:test';
import { comparePlaces, packBlock, referenceKey, unpackBlock, type ArchivedTransaction } from './ledger-blocks.ts';

test('a block holds every word and number of its transactions', () => {
  const transactions: ArchivedTransaction[] = [
    {
      id: 'a',
      kind: 'store.buy',
      reference: 'store:1',
      subject: 'Ünï „quoted“ "\\ \n 🎮',
      actor: null,
      reason: '',
      createdMs: 1_700_000_000_000,
      postings: [
        { seq: 0, source: 'user:ann', destination: 'system:store', amount: 1, sourceAfter: 0, destinationAfter: -9e15 },
        { seq: 1, source: 'hold:ann', destination: 'system:store', amount: 9, sourceAfter: 1, destinationAfter: 2 },
      ],
    },
  ];
  expect(unpackBlock(packBlock(transactions))).toEqual(transactions);
});

test('places of a statement go by the time, then by the transaction, then by the posting', () => {
  const places = [
    { createdMs: 1, txId: 'c', seq: 5 },
    { createdMs: 2, txId: 'a', seq: 2 },
    { createdMs: 2, txId: 'b', seq: 0 },
    { createdMs: 2, txId: 'b', seq: 1 },
  ];
  for (const [at, place] of places.entries())
    for (const [other, there] of places.entries())
      expect(Math.sign(comparePlaces(place, there))).toBe(Math.sign(at - other));
});

test('what stands for a reference is as short as the archive is reckoned with, and another for every reference', () => {
  expect(referenceKey('afk:1')).toMatch(/^[\w-]{20}$/);
  expect(referenceKey('afk:1')).toBe(referenceKey('afk:1'));
  expect(referenceKey('afk:1')).not.toBe(referenceKey('afk:2'));
});

import { expect, test } from 'bun:test';
import { PERMISSIONS } from '#shared/permissions.ts';
import { codeOf } from '#tests/support/coins.ts';
import type { SignedIn } from './kernel.ts';
import { assertAmount, assertMay, assertOutranks } from './permit.ts';
import type { Tx } from './tx.ts';

const EVERYTHING_BUT_ROOT = PERMISSIONS.map(({ value }) => value).filter((value) => value !== 'admin.root');
const caller = (permissions: readonly string[]): SignedIn => ({
  actor: { userId: 'u', sessionId: 's', username: 'olga', permissions, verified: true },
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.7',
  userAgent: 'test',
  idempotency: null,
});
/** The code that an assertion throws; null where it lets somebody pass. */
const refusalOf = (assertion: () => unknown) => codeOf(Promise.resolve().then(assertion));

/** A transaction in which the caller's own role has one rank, and roles are named by theirs. */
const ranks = (own: number | null): Tx =>
  ({
    access: { findRanks: async (_: string, id: string) => ({ own, other: id === '' ? null : Number(id) }) },
  }) as unknown as Tx;

test('S12 T61 a permission is asked for by its name, and only the owner’s stands for all', async () => {
  const may = (permissions: readonly string[]) => refusalOf(() => assertMay(caller(permissions), 'admin.panels.edit'));
  expect(await may([])).toBe('FORBIDDEN');
  expect(await may(EVERYTHING_BUT_ROOT.filter((value) => value !== 'admin.panels.edit'))).toBe('FORBIDDEN');
  expect([await may(['admin.panels.edit']), await may(['admin.root'])]).toEqual([null, null]);
});

test('S10 any staff may decide up to the largest amount, above it the owner alone, whatever else somebody may do', async () => {
  const may = (permissions: readonly string[], credits: number) =>
    refusalOf(() => assertAmount(caller(permissions), { staff_amount_max: 100 }, credits));
  expect([await may([], 99), await may([], 100)]).toEqual([null, null]);
  expect([await may([], 101), await may(EVERYTHING_BUT_ROOT, 101)]).toEqual(['APPROVAL_REQUIRED', 'APPROVAL_REQUIRED']);
  expect(await may(['admin.root'], 101)).toBeNull();
});

test('S10 an account of a lower rank may be touched, one of the same or a higher rank only by the owner', async () => {
  const may = (own: number | null, theirs: string, permissions: readonly string[] = EVERYTHING_BUT_ROOT) =>
    refusalOf(() => assertOutranks(ranks(own), caller(permissions), theirs));
  expect(await may(50, '49')).toBeNull();
  expect([await may(50, '50'), await may(50, '51')]).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  // Whose own account or role is not there any more outranks nobody, and an account without a rank is the lowest.
  expect(await may(null, '0')).toBe('FORBIDDEN');
  expect([await may(1, '0'), await may(1, '')]).toEqual([null, null]);
  expect(await may(0, '80', ['admin.root'])).toBeNull();
});

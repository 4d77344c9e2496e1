import { expect, test } from 'bun:test';
import type { Tx } from '../../tx.ts';
import { createClawback } from './clawback.ts';
import type { J4rClaim } from './ports.ts';

const NOW = 1000;
const CLAIM = {
  id: 'c1',
  userId: 'ann',
  name: 'A server',
  credits: 45,
  reference: 'j4r:g:s',
  txId: 'paid-1',
  held: false,
} as J4rClaim;

interface World {
  readonly wallet: number;
  readonly debt: number;
  /** What became of a reward on hold. */
  readonly review: 'open' | 'released' | 'rejected';
  /** Somebody else ended the claim meanwhile. */
  readonly over: boolean;
}

/** Claws a claim back. Out: what was done, in order. */
async function clawBack(claim: Partial<J4rClaim>, over: Partial<World> = {}) {
  const world: World = { wallet: 100, debt: 0, review: 'open', over: false, ...over };
  const done: unknown[][] = [];
  const tx = {
    ledger: {
      lock: async (accounts: string[]) => void done.push(['lock', ...accounts]),
      balance: async (account: string) => ({ 'user:ann': world.wallet, 'debt:ann': world.debt })[account],
    },
    j4r: {
      end: async (id: string, state: string, atMs: number) => (done.push(['end', id, state, atMs]), !world.over),
      heldStates: async ([reference = '']: string[]) => new Map([[reference, world.review]]),
      recordClawback: async (...recorded: unknown[]) => void done.push(['record', ...recorded]),
    },
  } as unknown as Tx;
  const run = createClawback({
    ledger: { transfer: async (_: Tx, movement: object) => (done.push(['transfer', movement]), { id: 'back-1' }) },
    events: { emit: async (_: Tx, name: string, payload: object) => void done.push([name, payload]) },
    payout: {
      cancelHeld: async (_: Tx, reference: string) => (done.push(['cancel', reference]), world.review === 'open'),
    },
  } as unknown as Parameters<typeof createClawback>[0]);
  await run(tx, { ...CLAIM, ...claim }, NOW);
  return done;
}
const ENDED = ['end', 'c1', 'left', NOW];
const LOCKED = ['lock', 'debt:ann', 'user:ann'];
const notified = (amount: number) => ['j4r.clawed_back', { userId: 'ann', claimId: 'c1', server: 'A server', amount }];
const taken = (amount: number) => [
  [
    'transfer',
    {
      kind: 'reward.j4r.back',
      reference: 'j4r.back:c1',
      subject: 'A server',
      postings: [{ source: 'user:ann', destination: 'system:reward.j4r', amount }],
    },
  ],
  ['record', 'c1', amount, 'back-1'],
];

test.each([
  [100, 45],
  [45, 45],
  [44, 44],
  [1, 1],
])('a wallet of %p gives %p of a reward of 45 back, once its accounts are locked', async (wallet, amount) => {
  expect(await clawBack({}, { wallet })).toEqual([ENDED, LOCKED, ...taken(amount), notified(amount)]);
});

test('a reward is forgiven where the wallet is empty or its user owes something', async () => {
  for (const world of [{ wallet: 0 }, { wallet: 100, debt: 1 }])
    expect(await clawBack({}, world)).toEqual([ENDED, LOCKED, notified(0)]);
});

test('a reward on hold goes back whole out of its hold, without touching the wallet', async () => {
  expect(await clawBack({ held: true }, { wallet: 0, debt: 7 })).toEqual([
    ENDED,
    ['cancel', 'j4r:g:s'],
    notified(45),
    ['record', 'c1', 45, 'paid-1'],
  ]);
});

test('a reward that was on hold is clawed back where it was released, and left alone where it was rejected', async () => {
  expect(await clawBack({ held: true }, { review: 'released' })).toEqual([
    ENDED,
    ['cancel', 'j4r:g:s'],
    LOCKED,
    ...taken(45),
    notified(45),
  ]);
  expect(await clawBack({ held: true }, { review: 'rejected' })).toEqual([ENDED, ['cancel', 'j4r:g:s']]);
});

test('a claim that has ended meanwhile is clawed back by whoever ended it', async () => {
  for (const held of [true, false]) expect(await clawBack({ held }, { over: true })).toEqual([ENDED]);
});

import { expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import { createScores } from './scores.ts';

const NOW = Date.UTC(2026, 0, 1);
/** The id of a Discord account that was made so many days ago. */
const discordId = (days: number) => String(BigInt(NOW - days * DAY - Date.UTC(2015, 0, 1)) << 22n);
const GITHUB = { provider: 'github', subject: '175928847299117063' };

interface World {
  readonly links: readonly { readonly provider: string; readonly subject: string }[];
  /** Others that share a sign with the account, and those of them that arrived on a device together with it. */
  readonly shared: Readonly<Record<string, number>>;
  readonly together: number;
  readonly email: string;
  /** Accounts that joined around this one: how many ms later, and with which mail. */
  readonly around: readonly { readonly id: string; readonly laterMs: number; readonly email: string }[];
  readonly ageMs: number;
}

/** Scores over a fixed database, and what it was asked. */
function setUp(over: Partial<World> = {}) {
  const world: World = {
    links: [GITHUB],
    shared: {},
    together: 0,
    email: 'a@mail.example',
    around: [],
    ageMs: 30 * DAY,
    ...over,
  };
  const asked: unknown[][] = [];
  const clock = { ms: NOW };
  const createdMs = clock.ms - world.ageMs;
  const note =
    <T>(name: string, answer: T) =>
    async (...args: unknown[]) => (asked.push([name, ...args]), answer);
  const tx = {
    abuse: {
      findProfile: note('profile', { permissions: [], email: world.email, createdMs }),
      countSharing: note('sharing', world.shared),
      countArrivedTogether: note('together', world.together),
      listJoinedAround: note(
        'around',
        world.around.map(({ id, laterMs, email }) => ({ id, createdMs: createdMs + laterMs, email })),
      ),
      // Each of them three times, so that few are enough.
      countOnSharedDevices: async (ids: string[], withinMs: number) => (
        asked.push(['onShared', ids, withinMs]),
        ids.length * 3
      ),
      listSeen: note('seen', []),
    },
    // Only what a score reads.
  } as unknown as Tx;
  const deps = {
    clock: { now: () => clock.ms },
    settings: {
      current: () => ({ vpn_weight: 40, vpn_unknown_holds: false, abuse_disposable_domains: 'throw.example' }),
    },
    identities: { listByUser: async () => world.links },
    // Only what a score uses of the outside.
  } as unknown as AbuseDeps;
  const scores = createScores(deps, 2);
  const signals = { recordIdentities: note('identities', undefined) };
  const parts = {
    signals,
    vpn: { findVerdict: async (_: Tx, places: () => Promise<unknown>) => (await places(), 'clean') },
    // Of all parts of the service a score asks these two alone.
  } as unknown as Parameters<typeof scores.of>[2];
  const of = (fresh = false, userId = 'ann') => scores.of(tx, userId, parts, fresh);
  const times = (name: string) => asked.filter(([each]) => each === name).length;
  return { tx, of, clock, asked, times, signals, forget: () => scores.forget('ann') };
}
const lines = async ({ of }: ReturnType<typeof setUp>) =>
  (await of()).reasons.map(({ code, weight, count }) => [code, weight, count]);

test('others on a device count apart from those who arrived there together with the account', async () => {
  expect(await lines(setUp({ shared: { device: 5 }, together: 2 }))).toEqual([
    ['deviceShared', 45, 2],
    ['deviceSpread', 10, 3],
  ]);
  // Those who arrived together may be counted once more than those who share.
  expect(await lines(setUp({ shared: { device: 1 }, together: 2 }))).toEqual([['deviceShared', 45, 2]]);
});

test('newcomers around an account count on shared devices within an hour of it, before or after', async () => {
  const around = [HOUR, -HOUR, HOUR + 1, -HOUR - 1].map((laterMs, at) => ({ id: `u${at}`, laterMs, email: '' }));
  const world = setUp({ shared: { device: 1 }, together: 1, around });
  expect(await lines(world)).toEqual([
    ['deviceShared', 25, 1],
    ['sharedAround', 30, 6],
  ]);
  expect(world.asked).toContainEqual(['around', 'ann', DAY]);
  expect(world.asked).toContainEqual(['onShared', ['u0', 'u1'], 45 * MINUTE]);
});

test('who joined around an account is asked only where that can add points', async () => {
  const alone = setUp({ shared: { address: 4 } });
  expect(await lines(alone)).toEqual([['addressShared', 5, 4]]);
  expect([alone.times('around'), alone.times('onShared'), alone.times('together')]).toEqual([0, 0, 0]);
  const around = ['b@throw.example', 'c@throw.example', 'd@throw.example', 'e@mail.example'];
  const throwaway = setUp({
    email: 'a@throw.example',
    around: around.map((email, at) => ({ id: `u${at}`, laterMs: 2 * HOUR, email })),
  });
  expect(await lines(throwaway)).toEqual([
    ['throwawayAround', 25, 3],
    ['disposableMail', 25, null],
  ]);
  expect([throwaway.times('around'), throwaway.times('onShared')]).toEqual([1, 0]);
});

test('a score is kept for five minutes, unless it is asked for afresh, forgotten, or the clock is set back', async () => {
  const { of, clock, times, forget } = setUp();
  await of();
  await of();
  clock.ms += 5 * MINUTE - 1;
  await of();
  expect(times('profile')).toBe(1);
  clock.ms += 1;
  await of();
  expect(times('profile')).toBe(2);
  await of(true);
  expect(times('profile')).toBe(3);
  forget();
  await of();
  expect(times('profile')).toBe(4);
  clock.ms -= 1;
  await of();
  expect(times('profile')).toBe(5);
});

test('T52 the memory of scores is bounded, and one score too many empties it', async () => {
  const { of, times } = setUp();
  for (const userId of ['ann', 'bob', 'ann', 'bob']) await of(false, userId);
  expect(times('profile')).toBe(2);
  for (const userId of ['cy', 'cy', 'ann', 'ann']) await of(false, userId);
  expect(times('profile')).toBe(4);
  await of(false, 'bob');
  expect(times('profile')).toBe(5);
});

test('a score of an account of less than an hour is computed each time', async () => {
  const { of, times } = setUp({ ageMs: HOUR - 1 });
  await of();
  await of();
  expect(times('profile')).toBe(2);
});

test('linked identities are written down before they are counted, and nothing where there are none', async () => {
  const { of, asked, tx } = setUp();
  await of();
  const order = asked.map(([name]) => name);
  expect(order.indexOf('identities')).toBeLessThan(order.indexOf('sharing'));
  expect(asked).toContainEqual(['identities', tx, 'ann', [GITHUB]]);
  const without = setUp({ links: [] });
  await without.of();
  expect(without.times('identities')).toBe(0);
});

test('the youngest Discord account counts by the days in its id, and accounts elsewhere do not', async () => {
  const linked = (...days: number[]) => days.map((each) => ({ provider: 'discord', subject: discordId(each) }));
  const young = async (links: World['links']) => lines(setUp({ links }));
  expect(await young([...linked(40, 5), GITHUB])).toEqual([['discordYoung', 20, 5]]);
  expect(await young(linked(7))).toEqual([['discordYoung', 10, 7]]);
  expect(await young(linked(0))).toEqual([['discordYoung', 20, 0]]);
  // A clock that was set back makes nobody older or younger than new.
  expect(await young(linked(-3))).toEqual([['discordYoung', 20, 0]]);
  expect(await young([...linked(30), { provider: 'discord', subject: 'no number' }])).toEqual([]);
  expect(await young([{ provider: 'github', subject: discordId(1) }])).toEqual([]);
});

test('an address that nobody shares weighs nothing, and places of the last day are checked for VPNs', async () => {
  const world = setUp();
  expect(await lines(world)).toEqual([]);
  expect(world.asked).toContainEqual(['seen', 'ann', 'address', NOW - DAY]);
  expect(world.asked).toContainEqual(['seen', 'ann', 'network', NOW - DAY]);
  expect(await lines(setUp({ shared: { network: 3 } }))).toEqual([['addressShared', 5, 3]]);
});

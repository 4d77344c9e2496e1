import { afterEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { Crash, crashing } from '#tests/support/crash.ts';
import { testLog } from '#tests/support/log.ts';
import type { Discord, LinkedIdentity } from '../../identities/index.ts';
import { createPayout } from '../payout/index.ts';
import { createJ4r } from './service.ts';

let world: CoinWorld;
afterEach(() => world.close());

const SUBJECT = '175928847299117063';
const GUILD = '1186342400000000000';
const never = () => Promise.reject(new Error('not asked in these tests'));

/** One server, one linked user who is a member, and a unit of work that breaks off where the test says. */
async function openJoin() {
  const holder: { breaker?: ReturnType<typeof crashing> } = {};
  world = await coinWorld('sqlite', (inner) => (holder.breaker = crashing(inner)));
  const { breaker } = holder;
  if (!breaker) throw new Error('nothing to break');
  const { clock, ids, settings, ledger, counters } = world;
  const ann = await world.person(100);
  const identity: LinkedIdentity = {
    id: 'identity',
    provider: 'discord',
    subject: SUBJECT,
    trace: 'trace',
    name: 'vlad',
    scopes: ['guilds', 'guilds.members.read'],
    broken: false,
    linkedMs: 0,
    accountCreatedMs: 0,
  };
  const state = { inside: true };
  const joinedMs = clock.now();
  const discord: Discord = {
    configured: () => true,
    consentUrl: () => '',
    exchange: never,
    refresh: never,
    revoke: never,
    getUser: never,
    invite: never,
    guilds: () => Promise.resolve({ kind: 'yes', value: new Set(state.inside ? [GUILD] : []) }),
    member: () =>
      Promise.resolve(
        state.inside
          ? { kind: 'yes', value: { joinedMs, rejoined: false, pending: false } }
          : { kind: 'no', reason: 'absent' },
      ),
  };
  const j4r = createJ4r({
    uow: breaker,
    clock,
    ids,
    settings,
    ledger,
    counters,
    discord,
    log: testLog(),
    events: world.events,
    payout: createPayout({ ledger, counters }),
    identities: {
      listByUser: () => Promise.resolve([identity]),
      withAccess: (_, question) => question('token') as never,
    },
  });
  await world.db.sql(
    `INSERT INTO j4r_servers (id, name, description, invite, guild_id, lookup, lookup_ms, credits, pays_members, min_account_days, position, enabled, since_ms, created_ms, updated_ms)
     VALUES ('entry', 'A', '', 'a', ?, 'found', 0, 45, 0, 0, 0, 1, 0, 0, 0)`,
    [GUILD],
  );
  return { ann, j4r, breaker, state };
}

describe('T10 broken off at any statement', () => {
  test('a claim leaves nothing behind, and pays once in the end', async () => {
    const { ann, j4r, breaker } = await openJoin();
    let crashes = 0;
    for (let call = 1; ; call += 1) {
      breaker.arm(call);
      const outcome = await j4r.claim(ann, 'entry').catch((error: unknown) => error);
      if (!breaker.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.balance(ann)).toBe(100);
      expect((await j4r.page(ann)).servers[0]?.state).toBe('open');
      expect((await j4r.page(ann)).earnedToday).toBe(0);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(7);
    expect([await world.balance(ann), (await j4r.page(ann)).earnedToday]).toEqual([145, 45]);
  });

  test('a reversal leaves the claim as it was until it is done whole', async () => {
    const { ann, j4r, breaker, state } = await openJoin();
    await j4r.claim(ann, 'entry');
    state.inside = false;
    world.pass(DAY);
    let crashes = 0;
    for (let call = 1; ; call += 1) {
      breaker.arm(call);
      const outcome = await j4r.checkDue().catch((error: unknown) => error);
      if (!breaker.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect([await world.balance(ann), (await j4r.page(ann)).servers[0]?.state]).toEqual([145, 'vesting']);
      crashes += 1;
      world.pass(HOUR);
    }
    expect(crashes).toBeGreaterThan(6);
    expect([await world.balance(ann), (await j4r.page(ann)).servers[0]]).toMatchObject([
      100,
      { state: 'left', taken: 45 },
    ]);
  });
});

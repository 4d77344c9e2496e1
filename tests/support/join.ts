import { createJ4r } from '#server/modules/rewards/j4r/index.ts';
import type { Discord, LinkedIdentity } from '#server/modules/identities/index.ts';
import { createPayout } from '#server/modules/rewards/payout/index.ts';
import { coinWorld } from './coins.ts';
import { crashing } from './crash.ts';
import { testLog } from './log.ts';

const SUBJECT = '175928847299117063';
const GUILD = '1186342400000000000';
const never = () => Promise.reject(new Error('not asked in these tests'));

/** One server, one linked user who is a member, and a unit of work that breaks off where the test says. */
export async function openJoin() {
  const holder: { breaker?: ReturnType<typeof crashing> } = {};
  const world = await coinWorld('sqlite', (inner) => (holder.breaker = crashing(inner)));
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
  /** Whether the user is a member, and what happens while Discord is asked. */
  const state = { inside: true, meanwhile: async (): Promise<unknown> => undefined };
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
    member: async () => {
      await state.meanwhile();
      return state.inside
        ? { kind: 'yes', value: { joinedMs, rejoined: false, pending: false } }
        : { kind: 'no', reason: 'absent' };
    },
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
  return { world, ann, j4r, breaker, state };
}

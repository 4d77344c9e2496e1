import { expect, test } from 'bun:test';
import type { LinkedIdentity } from '../../identities/index.ts';
import type { J4rDeps } from './deps.ts';
import { createFindings, oncePerGuild } from './findings.ts';
import type { J4rClaim } from './ports.ts';

const NOW = 1000;
const claim = (guildId: string, vestsMs = NOW + 1) =>
  ({ userId: 'ann', subject: 'trace', guildId, vestsMs }) as J4rClaim;
const linked = (over: Partial<LinkedIdentity> = {}): LinkedIdentity => ({
  id: 'discord-1',
  provider: 'discord',
  subject: '1',
  trace: 'trace',
  name: 'vlad',
  scopes: ['guilds', 'guilds.members.read'],
  broken: false,
  linkedMs: 0,
  accountCreatedMs: 0,
  ...over,
});

interface World {
  readonly links: readonly LinkedIdentity[];
  /** Servers in the list of the user; null: Discord did not answer. */
  readonly guilds: readonly string[] | null;
  readonly member: object;
}
/** What Discord says of claims, and what it was asked. */
async function findings(claims: readonly J4rClaim[], over: Partial<World> = {}, standing = 'there') {
  const world: World = { links: [linked()], guilds: [], member: { kind: 'no', reason: 'unseen' }, ...over };
  const asked: string[] = [];
  const { findingsOf } = createFindings({
    uow: { read: (work: (tx: never) => unknown) => work(undefined as never) },
    clock: { now: () => NOW },
    identities: {
      listByUser: async () => world.links,
      withAccess: (id: string, question: (access: string) => unknown) => question(`access of ${id}`),
    },
    discord: {
      guilds: async (access: string) => {
        asked.push(`guilds by ${access}`);
        return world.guilds ? { kind: 'yes', value: new Set(world.guilds) } : { kind: 'unknown', retryAfterS: null };
      },
      member: async (_: string, guildId: string) => (asked.push(`member of ${guildId}`), world.member),
    },
  } as unknown as J4rDeps);
  const found = await findingsOf(claims, async () => standing as never);
  return { found: found.map(({ finding }) => finding), asked };
}
const LIST = 'guilds by access of discord-1';

test('one question answers for all claims whose servers are in the list and that go on vesting', async () => {
  expect(await findings([claim('a'), claim('b')], { guilds: ['a', 'b'] })).toEqual({
    found: [
      { kind: 'member', joinedMs: null },
      { kind: 'member', joinedMs: null },
    ],
    asked: [LIST],
  } as never);
  expect(await findings([])).toEqual({ found: [], asked: [] });
});

test('a member is read where the list lacks the server, did not come, or the reward vests now', async () => {
  const member = { kind: 'yes', value: { joinedMs: 7 } };
  const read = { found: [{ kind: 'member', joinedMs: 7 }], asked: [LIST, 'member of a'] };
  expect(await findings([claim('a')], { guilds: ['b'], member })).toEqual(read as never);
  expect(await findings([claim('a')], { guilds: null, member })).toEqual(read as never);
  expect(await findings([claim('a', NOW)], { guilds: ['a'], member })).toEqual(read as never);
});

test('nobody is asked by a link to another account, a broken one, or one that may not read members', async () => {
  for (const links of [
    [],
    [linked({ provider: 'github' })],
    [linked({ trace: 'another' })],
    [linked({ broken: true })],
    [linked({ scopes: ['guilds'] })],
  ])
    expect(await findings([claim('a'), claim('b')], { links })).toEqual({
      found: [{ kind: 'nobody' }, { kind: 'nobody' }],
      asked: [],
    });
  const others = [linked({ id: 'github-1', provider: 'github' }), linked({ id: 'old', trace: 'another' }), linked()];
  expect((await findings([claim('a')], { links: others, guilds: ['a'] })).asked).toEqual([LIST]);
});

test.each([
  [{ kind: 'unknown', retryAfterS: 7 }, 'there', { kind: 'unknown', retryAfterS: 7 }],
  [{ kind: 'no', reason: 'absent' }, 'unproven', { kind: 'left' }],
  [{ kind: 'no', reason: 'unseen' }, 'there', { kind: 'left' }],
  [{ kind: 'no', reason: 'unseen' }, 'unproven', { kind: 'unproven' }],
  [{ kind: 'no', reason: 'unseen' }, 'unknown', { kind: 'unknown' }],
  [{ kind: 'no', reason: 'scope' }, 'there', { kind: 'nobody' }],
  [{ kind: 'no', reason: 'broken' }, 'there', { kind: 'nobody' }],
])('the answer %j of a member, with a server that is %p, comes to %j', async (member, standing, finding) => {
  expect((await findings([claim('a')], { member }, standing)).found).toEqual([finding] as never);
});

test('a server is asked for once, also by those who ask at the same time, and where it did not answer', async () => {
  const asked: string[] = [];
  const find = oncePerGuild(async (guildId) => (asked.push(guildId), 'unknown'));
  expect(await Promise.all([find('a'), find('b'), find('a')])).toEqual(['unknown', 'unknown', 'unknown']);
  await find('a');
  expect(asked).toEqual(['a', 'b']);
});

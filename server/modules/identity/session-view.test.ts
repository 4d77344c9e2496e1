import { expect, test } from 'bun:test';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { createSessionView } from './session-view.ts';

type Deps = Parameters<typeof createSessionView>[0];

const USER = {
  id: 'ann',
  username: 'Ann',
  email: 'ann@example.com',
  firstName: 'Ann',
  lastName: 'Lee',
  roleId: 'r1',
  locale: 'de',
  status: 'active',
  verifiedMs: null as number | null,
  createdMs: 0,
  passwordHash: 'secret',
};
const ROLE = { id: 'r1', name: 'Member', color: '#123456' };

interface World {
  readonly user: Partial<typeof USER> | null;
  readonly role: typeof ROLE | null;
  readonly factor: { readonly secret: string | null } | null;
  readonly permissions: readonly string[];
  readonly forced: 'none' | 'staff' | 'all';
  readonly verification: boolean;
}

/** The session of `ann` in a world where everything is as it usually is but for what is given. */
function view(over: Partial<World> = {}) {
  const world: World = {
    user: {},
    role: ROLE,
    factor: null,
    permissions: ['servers.create'],
    forced: 'none',
    verification: false,
    ...over,
  };
  const of =
    <T>(expected: string, value: T) =>
    async (id: string) =>
      id === expected ? value : null;
  const tx = {
    identity: { findUser: of('ann', world.user && { ...USER, ...world.user }) },
    access: { role: of('r1', world.role), permissionsOf: of('r1', world.permissions) },
    factors: { find: of('ann', world.factor) },
    notifications: { unread: of('ann', 3) },
    tickets: { countUnread: of('ann', 2) },
  };
  const balances: Readonly<Record<string, number>> = { 'user:ann': 120, 'debt:ann': 30 };
  const deps = {
    uow: { read: (work: (tx: never) => unknown) => work(tx as never) },
    ledger: {
      balance: async (_: unknown, account: string) => balances[account],
      held: async (_: unknown, userId: string) => (userId === 'ann' ? 40 : null),
    },
    limits: {
      meters: async () =>
        Object.fromEntries(RESOURCE_KINDS.map((kind, at) => [kind, { used: at + 1, limit: (at + 1) * 10 }])),
    },
    settings: { current: () => ({ mail_verification: world.verification, force_2fa: world.forced }) },
    mailing: { isConfigured: () => true },
  } as unknown as Deps;
  return createSessionView(deps)('ann');
}

test('a session has the user without secrets, their credits, limits, counts and permissions', async () => {
  const answer = await view({ user: { verifiedMs: 1 } });
  expect(answer).toEqual({
    user_info: {
      id: 'ann',
      uuid: 'ann',
      username: 'Ann',
      email: 'ann@example.com',
      first_name: 'Ann',
      last_name: 'Lee',
      role: 'Member',
      role_color: '#123456',
      locale: 'de',
      verified: true,
      confirmation: 'confirmed',
      second_factor: 'off',
      created_at: '1970-01-01T00:00:00.000Z',
    },
    billing: { credits: 120, held: 40, debt: 30 },
    stats: {
      servers: 4,
      unread: 3,
      tickets_unread: 2,
      ...Object.fromEntries(
        RESOURCE_KINDS.flatMap((kind, at) => [
          [`${kind}_used`, at + 1],
          [`${kind}_limit`, (at + 1) * 10],
        ]),
      ),
    },
    permissions: ['servers.create'],
  });
  expect(RESOURCE_KINDS[3]).toBe('slots');
});

test.each([
  ['nobody of that id', { user: null }],
  ['an account without a role', { role: null }],
  ['a banned account', { user: { status: 'banned' } }],
  ['a deleted account', { user: { status: 'deleted' } }],
])('there is no session for %s', async (_, world) => {
  expect(await view(world)).toBeNull();
});

test.each([
  [null, false, true, 'not_asked'],
  [null, true, false, 'pending'],
  [1, false, true, 'confirmed'],
  [1, true, true, 'confirmed'],
])(
  'an address confirmed at %p counts as verified where the host asks: %p',
  async (verifiedMs, verification, verified, confirmation) => {
    const answer = await view({ user: { verifiedMs }, verification });
    expect(answer?.user_info).toMatchObject({ verified, confirmation });
  },
);

test.each([
  [{ secret: 'sealed' }, 'none', [], 'on'],
  [{ secret: 'sealed' }, 'all', [], 'on'],
  [{ secret: null }, 'none', [], 'off'],
  [{ secret: null }, 'all', [], 'required'],
  [null, 'none', ['admin.root'], 'off'],
  [null, 'all', [], 'required'],
  [null, 'staff', [], 'off'],
  [null, 'staff', ['admin.users.list'], 'required'],
] as const)(
  'a second factor %p, where %p must have one, with %p, is %p',
  async (factor, forced, permissions, state) => {
    const answer = await view({ factor, forced, permissions });
    expect(answer?.user_info.second_factor).toBe(state);
  },
);

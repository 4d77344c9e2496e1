import { expect, test } from 'bun:test';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import type { Meters } from '../limits/index.ts';
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
  createdMs: 7,
  timeZone: null as string | null,
  passwordHash: 'secret',
};
const METERS = Object.fromEntries(RESOURCE_KINDS.map((kind, at) => [kind, { used: at + 1, limit: (at + 1) * 10 }]));
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
      meters: async (_: unknown, userId: string) => (userId === 'ann' ? METERS : null),
    },
    settings: {
      current: () => ({
        mail_verification: world.verification,
        force_2fa: world.forced,
        app_timezone: 'Europe/Berlin',
      }),
    },
    mailing: { isConfigured: () => true },
  } as unknown as Deps;
  return createSessionView(deps)('ann');
}

test('a session has the user without secrets, their credits, limits, counts and permissions', async () => {
  const session = await view({ user: { verifiedMs: 1 } });
  expect(session).toEqual({
    user: {
      id: 'ann',
      username: 'Ann',
      email: 'ann@example.com',
      firstName: 'Ann',
      lastName: 'Lee',
      role: 'Member',
      roleColor: '#123456',
      locale: 'de',
      timeZone: 'Europe/Berlin',
      verified: true,
      confirmation: 'confirmed',
      secondFactor: 'off',
      createdMs: 7,
    },
    credits: { balance: 120, held: 40, debt: 30 },
    meters: METERS as Meters,
    unread: { notifications: 3, tickets: 2 },
    permissions: ['servers.create'],
  });
});

test('the time zone of a session is the user’s own where they chose one', async () => {
  expect((await view({ user: { timeZone: 'America/Lima' } }))?.user.timeZone).toBe('America/Lima');
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
    expect(answer?.user).toMatchObject({ verified, confirmation });
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
    expect(answer?.user.secondFactor).toBe(state);
  },
);

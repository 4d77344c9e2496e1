import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createEvents, type EventName, type PayloadOf } from '#server/modules/events/index.ts';
import type { Permission } from '#shared/permissions.ts';
import { guestCtx } from './browser.ts';
import { fakeClock, testIds, TEST_START } from './clock.ts';
import { openTestDb, type TestDb } from './db.ts';

/** Accounts by their ids, each with a role of these permissions; the banned one is notified of nothing. */
const STAFF: Readonly<Record<string, readonly Permission[]>> = {
  banned: ['admin.root'],
  health: ['admin.health.view'],
  member: [],
  panels: ['admin.panels.list'],
  payments: ['admin.payments.edit'],
  plugins: ['admin.plugins.edit'],
  reader: ['admin.payments.list', 'admin.users.list'],
  root: ['admin.root'],
};

/** What an event causes by itself, each kind in its order; what is absent is not caused. */
interface Effects {
  /** Action, target, before, after. */
  readonly audit?: readonly [string, string | null, unknown, unknown];
  /** User, kind, data, key. */
  readonly notifications?: readonly (readonly [string, string, object, string | null])[];
  /** User, template, values, key, end of validity. */
  readonly mails?: readonly (readonly [string, string, object, string | undefined, number | undefined])[];
}
/** What is emitted, all that it causes, and the account that caused it; without one the system did. */
type EffectCase<N extends EventName> = readonly [payload: PayloadOf<N>, effects: Effects, byId?: string];
/** Cases of some events; the compiler wants each of them. */
export type EffectCases<N extends EventName> = { readonly [E in N]: readonly EffectCase<E>[] };

/** Events whose name begins with what they are about. */
type EventAbout<Thing extends string> = Extract<EventName, `${Thing}.${string}`>;
/** Events of servers, of the places they are at, and of money. */
export type ServerOrMoneyEvent = EventAbout<
  'server' | 'location' | 'outage' | 'order' | 'payment' | 'refund' | 'purchase' | 'credits' | 'gift' | 'ledger'
>;
/**
 * Events of tickets, images and announcements, and of plugins; what is in none of these lists is of accounts and
 * rewards.
 */
export type CommunityEvent = EventAbout<'ticket' | 'image' | 'announcement' | 'plugin'>;

/** Emits every case in a transaction of its own, which is rolled back, and compares all that it causes. */
export function testEffects<N extends EventName>(cases: EffectCases<N>): void {
  describe('what events cause', () => {
    let db: TestDb;
    beforeAll(async () => {
      db = await openTestDb('sqlite');
      await addStaff(db);
    });
    afterAll(() => db.close());

    for (const name of Object.keys(cases) as N[])
      for (const [index, [payload, effects, byId]] of cases[name].entries())
        test(`the event ${name} causes what its case ${index + 1} names, and nothing else`, async () => {
          expect(await effectsOf(db, name, payload, byId)).toEqual({ notifications: [], mails: [], ...effects });
        });
  });
}

async function effectsOf<N extends EventName>(
  db: TestDb,
  name: N,
  payload: PayloadOf<N>,
  byId: string | undefined,
): Promise<Effects> {
  const notifications: [string, string, object, string | null][] = [];
  const mails: [string, string, object, string | undefined, number | undefined][] = [];
  let audit: Effects['audit'];
  const events = createEvents({
    clock: fakeClock(),
    ids: testIds(),
    notifications: {
      async notify(_, notices) {
        for (const { userId, kind, data = {}, uniqueKey = null } of notices)
          notifications.push([userId, kind, data, uniqueKey]);
        return new Map();
      },
      mailTime: async () => TEST_START,
    },
    mailing: {
      sendTo: async (_, userId, template, vars, key, { untilMs } = {}) =>
        mails.push([userId, template, vars, key, untilMs]) > 0,
    },
  });
  const rolledBack = new Error('rolled back');
  await db.uow
    .run(async (tx) => {
      await events.emit(tx, name, payload, byId === undefined ? null : contextOf(byId));
      const [row] = await tx.audit.latest(1);
      if (row) audit = [row.action, row.target, row.before, row.after];
      throw rolledBack;
    })
    .catch((error: unknown) => {
      if (error !== rolledBack) throw error;
    });
  return { notifications, mails, ...(audit ? { audit } : {}) };
}

const contextOf = (userId: string) =>
  guestCtx({ actor: { userId, sessionId: '', username: userId, permissions: [], verified: true } });

function addStaff(db: TestDb): Promise<void> {
  return db.uow.run(async (tx) => {
    for (const [id, permissions] of Object.entries(STAFF)) {
      const role = { id: `role-${id}`, key: null, name: id, color: '#888888', rank: 1, isDefault: false };
      await tx.access.add({ ...role, createdMs: TEST_START }, permissions);
      await tx.identity.addUser({
        id,
        username: id,
        email: `${id}@example.test`,
        passwordHash: '-',
        firstName: 'A',
        lastName: 'B',
        roleId: role.id,
        locale: 'en',
        verifiedMs: TEST_START,
        createdMs: TEST_START,
      });
    }
    await tx.identity.setStatus('banned', 'banned', { reason: 'r', untilMs: null }, TEST_START);
  });
}

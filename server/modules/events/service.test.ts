import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Tx } from '../tx.ts';
import { subscriber } from './index.ts';

// A database server takes its time on a busy machine.
setDefaultTimeout(300_000);

let world: CoinWorld;
afterEach(() => world.close());

const auditOf = async () => (await world.uow.read((tx) => tx.audit.latest(10))).map(({ action }) => action);
const bellOf = async (userId: string) =>
  (await world.uow.read((tx) => tx.notifications.latest(userId, 10))).map(({ kind, data }) => [kind, data]);
const outboxOf = async () => (await world.uow.read((tx) => tx.mail.listLatest(10))).map(({ template }) => template);

describe.each([...ENGINES])('events on %s', (engine) => {
  test('an event leaves its row in the audit log, notifies, mails, and runs its subscriptions in their order', async () => {
    world = await coinWorld(engine);
    const ctx = await world.person();
    const { userId } = ctx.actor;
    const heard: string[] = [];
    world.events.subscribe([
      subscriber('user.password_reset', async (_, { device }) => void heard.push(`first ${device}`)),
      subscriber('user.verified', async () => void heard.push('another event')),
      subscriber('user.password_reset', async (_, { address }) => void heard.push(`second ${address}`)),
    ]);
    await world.uow.run((tx) =>
      world.events.emit(tx, 'user.password_reset', { userId, device: 'Firefox', address: '192.0.2.1' }, ctx),
    );
    expect(heard).toEqual(['first Firefox', 'second 192.0.2.1']);
    expect(await bellOf(userId)).toEqual([['passwordChanged', {}]]);
    expect(await outboxOf()).toEqual(['passwordChanged']);
    expect(await world.uow.read((tx) => tx.audit.latest(1))).toMatchObject([
      { action: 'account.password_reset', actorId: userId, target: userId },
    ]);
  });

  test('an event of a transaction that rolls back is heard by nobody', async () => {
    world = await coinWorld(engine);
    const { userId } = (await world.person()).actor;
    world.events.subscribe([
      subscriber('user.verified', (tx) => tx.identity.setAttempts('heard', { count: 1, lastMs: 0 })),
    ]);
    const rolledBack = world.uow.run(async (tx) => {
      await world.events.emit(tx, 'user.verified', { userId });
      await world.events.emit(tx, 'user.password_reset', { userId, device: '', address: '' });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect([await auditOf(), await bellOf(userId), await outboxOf()]).toEqual([[], [], []]);
    expect(await world.uow.run((tx) => tx.identity.lockAttempts('heard'))).toBeNull();
  });

  test('a subscription that throws rolls back the event, and what others did with it', async () => {
    world = await coinWorld(engine);
    const ctx = await world.person(10);
    world.events.subscribe([
      subscriber('credits.adjusted', (tx) => tx.identity.setAttempts('heard', { count: 1, lastMs: 0 })),
      subscriber('credits.adjusted', () => Promise.reject(new Error('no'))),
    ]);
    const { userId } = ctx.actor;
    const refused = world.uow.run(async (tx) => {
      await tx.identity.setAttempts('changed', { count: 1, lastMs: 0 });
      await world.events.emit(tx, 'credits.adjusted', { userId, adjustmentId: 'a', amount: 5, reason: 'r' });
    });
    await expect(refused).rejects.toThrow('no');
    const left = await world.uow.run(async (tx) => [
      await tx.identity.lockAttempts('changed'),
      await tx.identity.lockAttempts('heard'),
    ]);
    expect([left, await bellOf(userId)]).toEqual([[null, null], []]);
  });
});

test('a subscription hears the fields that are declared and no others, and what is no payload is refused', async () => {
  world = await coinWorld();
  const { userId } = (await world.person()).actor;
  const heard: unknown[] = [];
  world.events.subscribe([subscriber('user.verified', async (_, payload) => void heard.push(payload))]);
  const emit = (payload: { userId: string }) => world.uow.run((tx) => world.events.emit(tx, 'user.verified', payload));
  const row = { userId, passwordHash: 'secret' };
  await emit(row);
  expect(heard).toEqual([{ userId }]);
  await expect(emit(JSON.parse('{"userId":7}'))).rejects.toThrow();
  expect(heard).toHaveLength(1);
});

test('a notification whose condition does not hold is not made', async () => {
  world = await coinWorld();
  const [ann, bob] = [await world.person(), await world.person()];
  const gift = { senderId: ann.actor.userId, senderName: 'ann', recipientId: bob.actor.userId, recipientName: 'bob' };
  await world.uow.run((tx) => world.events.emit(tx, 'gift.sent', { ...gift, amount: 3, note: 'hi' }));
  expect(await bellOf(bob.actor.userId)).toEqual([['giftReceivedNote', { name: 'ann', cost: 3, note: 'hi' }]]);
  expect(await bellOf(ann.actor.userId)).toEqual([['giftSent', { name: 'bob', cost: 3 }]]);
});

test('names and payloads of events are checked by the compiler', async () => {
  world = await coinWorld();
  const refused = [
    // @ts-expect-error: no such event.
    () => subscriber('user.vanished', async () => {}),
    // @ts-expect-error: the payload has no such field.
    () => subscriber('user.verified', async (_, { amount }) => amount),
    // @ts-expect-error: the user is missing.
    (tx: Tx) => world.events.emit(tx, 'user.verified', {}),
  ];
  expect(refused).toHaveLength(3);
});

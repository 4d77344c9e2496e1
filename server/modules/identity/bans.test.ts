import { afterEach, beforeEach, expect, test } from 'bun:test';
import { HOUR } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { identityDeps } from '#tests/support/identity.ts';
import type { Events } from '../events/index.ts';
import type { Tx } from '../tx.ts';
import { createBans } from './bans.ts';

let h: Harness;
let ann: Person;
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
});
afterEach(() => h.close());

const identity = () => h.host.services.identity;
const TERMS = { reason: 'a reason', untilMs: null };
const stored = async () =>
  (
    await h.db.sql<{ status: string; ban_reason: string | null; banned_until_ms: number | null }>(
      'SELECT status, ban_reason, banned_until_ms FROM users WHERE id = ?',
      [ann.id],
    )
  )[0];

test('T34 a ban ends what stands on the sessions and the account, and so does its end for the account', async () => {
  const resolved = await identity().resolve(ann.secret);
  const heard: string[] = [];
  const topics = [`session:${resolved?.actor.sessionId}`, `account:${ann.id}`, `user:${ann.id}`];
  for (const topic of topics) h.db.bus.subscribe(topic, () => void heard.push(topic));
  const untilMs = h.clock.now() + HOUR;
  await identity().ban(null, ann.id, { reason: 'a reason', untilMs });
  expect(new Set(heard)).toEqual(new Set(topics));
  expect(await stored()).toEqual({ status: 'banned', ban_reason: 'a reason', banned_until_ms: untilMs });
  heard.length = 0;
  await identity().unban(null, ann.id);
  expect(new Set(heard)).toEqual(new Set(topics.slice(1)));
  expect(await stored()).toEqual({ status: 'active', ban_reason: null, banned_until_ms: null });
});

test('nobody who is not there, or was deleted, is banned, and only who is banned is unbanned', async () => {
  const nobody = '01890000-0000-7000-8000-000000000000';
  expect(await codeOf(identity().ban(null, nobody, TERMS))).toBe('NOT_FOUND');
  expect(await codeOf(identity().unban(null, nobody))).toBe('NOT_FOUND');
  expect(await codeOf(identity().unban(null, ann.id))).toBe('NOT_FOUND');
  await h.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [ann.id]);
  expect(await codeOf(identity().ban(null, ann.id, TERMS))).toBe('NOT_FOUND');
  expect(await codeOf(identity().unban(null, ann.id))).toBe('NOT_FOUND');
  expect((await stored())?.status).toBe('deleted');
});

test('a ban and its end are audited with what was before and after', async () => {
  await identity().ban(null, ann.id, TERMS);
  await identity().unban(null, ann.id);
  const rows = await h.db.sql(
    "SELECT action, target, before, after FROM audit WHERE action LIKE 'users.%ban' ORDER BY id",
  );
  expect(rows).toEqual([
    {
      action: 'users.ban',
      target: ann.id,
      before: '{"status":"active"}',
      after: '{"status":"banned","reason":"a reason","until_ms":null}',
    },
    {
      action: 'users.unban',
      target: ann.id,
      before: '{"status":"banned","reason":"a reason"}',
      after: '{"status":"active"}',
    },
  ]);
});

test('whoever hears of a ban or of its end finds the account and its sessions as they are from now on', async () => {
  const heard: unknown[] = [];
  const emit = (async (tx: Tx, name: string) => {
    const user = await tx.identity.findUser(ann.id);
    heard.push([name, user?.status, (await tx.identity.listSessions(ann.id, h.clock.now())).length]);
  }) as Events['emit'];
  const { ban, unban } = createBans(identityDeps(h, { events: { emit } }));
  await ban(null, ann.id, TERMS);
  await unban(null, ann.id);
  expect(heard).toEqual([
    ['user.banned', 'banned', 0],
    ['user.unbanned', 'active', 0],
  ]);
});

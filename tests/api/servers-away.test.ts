import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentServerPage } from '#server/api/present-servers.ts';
import { createUptime } from '#server/modules/uptime/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
afterEach(() => world.close());

/** Lets the product run, with all that it does by itself. */
async function up(ms: number, stepMs = 30 * MINUTE): Promise<void> {
  const end = world.clock.now() + ms;
  while (world.clock.now() < end) {
    await world.pass(Math.min(stepMs, end - world.clock.now()));
    await world.uptime.beat();
    await world.servers.processExpiry();
  }
}
/** No process runs for so long; then one starts again, with nothing in its memory. */
async function away(ms: number): Promise<void> {
  await world.uptime.beat();
  world.clock.advance(ms);
  await createUptime({ uow: world.db.uow, clock: world.clock, events: world.deps.events }).beat();
  await world.servers.processExpiry();
}
/** Runs up to a moment before (or after) the expiry, coarsely: nothing beats meanwhile, so nothing is missed. */
const until = (at: number) => world.live(at - world.clock.now(), 4 * HOUR);
async function server(autoRenew = false, credits = 0): Promise<{ ctx: SignedIn; id: string; expires: number }> {
  const ctx = await world.person({ credits });
  const id = await world.upServer(ctx, { autoRenew });
  return { ctx, id, expires: (await world.row(id)).expiresMs ?? 0 };
}
const state = async (id: string) => (await world.row(id)).state;
/** Every mail and notification of a user with the moments it names, and when it was written. */
async function texts(ctx: SignedIn) {
  const mails = await world.db.sql<{ text: string; subject: string; created_ms: number }>(
    'SELECT subject, text, created_ms FROM mails WHERE user_id = ? ORDER BY created_ms, id',
    [ctx.actor.userId],
  );
  const notes = await world.db.sql<{ kind: string; data: string; created_ms: number }>(
    'SELECT kind, data, created_ms FROM notifications WHERE user_id = ? ORDER BY created_ms, id',
    [ctx.actor.userId],
  );
  return { mails, notes: notes.map((note) => ({ ...note, data: JSON.parse(note.data) as Record<string, string> })) };
}

describe.each([...ENGINES])('time away on %s', (engine) => {
  beforeEach(async () => {
    world = await serversWorld(engine);
  });

  test('T65 E5 after a downtime of 16 days over the end a user is reminded again, and suspended a day later', async () => {
    const { ctx, id, expires } = await server();
    await until(expires - 2 * DAY);
    await away(18 * DAY);
    const back = world.clock.now();
    expect(await state(id)).toBe('active');
    const { mails, notes } = await texts(ctx);
    expect(notes.at(-1)).toMatchObject({
      kind: 'renewOverdue',
      data: { expires: iso(expires), suspends: iso(back + DAY) },
    });
    expect(mails.at(-1)?.subject).toBe('Lanternwood has expired');
    const { server: view } = presentServerPage(await world.servers.get(ctx, id));
    expect(view).toMatchObject({ state: 'active', suspends_at: iso(back + DAY) });
    await up(DAY - 2 * HOUR);
    expect(await state(id)).toBe('active');
    await up(3 * HOUR);
    expect(await state(id)).toBe('suspended');
    // Once, however often it was looked at meanwhile.
    expect((await texts(ctx)).notes.filter(({ kind }) => kind === 'renewOverdue')).toHaveLength(1);
  });
});

describe('time away', () => {
  beforeEach(async () => {
    world = await serversWorld();
  });

  test('E5 a user who was never reminded when the end fell into the downtime reads no text that speaks of the past as future', async () => {
    const { ctx, id, expires } = await server();
    await until(expires - 10 * DAY);
    await away(26 * DAY);
    const { mails, notes } = await texts(ctx);
    expect(notes.map(({ kind }) => kind)).toEqual(['serverReady', 'renewOverdue']);
    expect(mails.at(-1)?.text).not.toContain('from now');
    await up(25 * HOUR);
    expect(await state(id)).toBe('suspended');
  });

  test('E5 a downtime on the last day counts a day from when we were up again', async () => {
    const { ctx, id, expires } = await server();
    await until(expires - 8 * HOUR);
    await away(6 * HOUR);
    const back = world.clock.now();
    expect((await texts(ctx)).notes.at(-1)).toMatchObject({ kind: 'renewReminder', data: { days: 1 } });
    await up(DAY - HOUR);
    expect(world.clock.now()).toBeGreaterThan(expires);
    expect(await state(id)).toBe('active');
    await up(back + DAY + HOUR - world.clock.now());
    expect(await state(id)).toBe('suspended');
  });

  test('E5 a downtime again within that day has the day begin again', async () => {
    const { ctx, id, expires } = await server();
    await until(expires - DAY + HOUR);
    await away(3 * DAY);
    await up(3 * HOUR);
    await away(5 * DAY);
    expect(await state(id)).toBe('active');
    expect((await texts(ctx)).notes.filter(({ kind }) => kind === 'renewOverdue')).toHaveLength(2);
    await up(23 * HOUR);
    expect(await state(id)).toBe('active');
    await up(2 * HOUR);
    expect(await state(id)).toBe('suspended');
  });

  test('E5 a user warned of the deletion before a downtime is warned again, and the server deleted a day after that', async () => {
    const { ctx, id, expires } = await server();
    await until(expires + 6.5 * DAY);
    expect((await texts(ctx)).notes.at(-1)?.kind).toBe('serverDeleteWarning');
    await away(10 * DAY);
    const back = world.clock.now();
    const { notes } = await texts(ctx);
    expect(notes.at(-1)).toMatchObject({ kind: 'serverDeleteWarning', data: { deletes: iso(back + DAY) } });
    expect(presentServerPage(await world.servers.get(ctx, id)).server.deletes_at).toBe(iso(back + DAY));
    await up(23 * HOUR);
    expect(await state(id)).toBe('suspended');
    await up(2 * HOUR);
    expect(await state(id)).toBe('deleted');
    expect(notes.filter(({ kind }) => kind === 'serverDeleteWarning')).toHaveLength(2);
  });

  test('E5 a server that renews itself is paid once on return, from then on', async () => {
    const { ctx, id, expires } = await server(true, 1000);
    await until(expires - 2 * DAY);
    await away(40 * DAY);
    expect(await world.balance(ctx)).toBe(900);
    expect((await world.row(id)).expiresMs).toBe(world.clock.now() + 30 * DAY);
  });

  test('T65 whatever the downtime, each date in a text lies after the text, and each suspension a day after one', async () => {
    for (const [before, gone] of [
      [8, 1],
      [6.5, 7],
      [3, 3.1],
      [1, 0.5],
      [0.2, 0.1],
      [-0.5, 2],
      [-5, 9],
      [-6.8, 1],
    ] as const) {
      const { ctx, id, expires } = await server();
      await until(expires - before * DAY);
      const was = await state(id);
      const from = (await texts(ctx)).notes.length;
      // A server of before knows nothing of this downtime: the row of beats begins anew with each.
      await world.db.sql('DELETE FROM uptime RETURNING id', []);
      await away(gone * DAY);
      const back = world.clock.now();
      await up(20 * HOUR);
      expect({ before, gone, state: (await state(id)) === was || was === 'deleted' }).toEqual({
        before,
        gone,
        state: true,
      });
      await up(20 * DAY, 50 * MINUTE);
      const { notes } = await texts(ctx);
      for (const { kind, data, created_ms } of notes.slice(from)) {
        const announced = {
          renewReminder: data.expires,
          renewOverdue: data.suspends,
          serverSuspended: data.deletes,
          serverDeleteWarning: data.deletes,
        }[kind];
        if (announced !== undefined)
          expect({ before, gone, kind, future: Date.parse(announced) > created_ms }).toEqual({
            before,
            gone,
            kind,
            future: true,
          });
      }
      const suspended = notes.find(({ kind }) => kind === 'serverSuspended');
      if (before > 0)
        expect(suspended?.created_ms ?? 0).toBeGreaterThanOrEqual(
          Math.max(expires, expires < back + DAY ? back + DAY : 0),
        );
      expect(await state(id)).toBe('deleted');
    }
  });
});

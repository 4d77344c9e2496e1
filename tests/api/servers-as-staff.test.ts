import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { consolesHandlers } from '#server/api/consoles.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Permission } from '#shared/permissions.ts';
import { SUBUSER_RIGHTS } from '#shared/subusers.ts';
import { HOUR } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { asCaller, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// Staff at work on a player's server, over a panel that has consoles, files and backups. Which endpoint takes which
// permission is shown in server-rights.test.ts.
describe.each([...ENGINES])('staff on the server of a player on %s', (engine) => {
  let world: ServersWorld;
  let owner: SignedIn;
  let staff: SignedIn;
  let id: string;
  let sent: string[];

  beforeEach(async () => {
    const opened = await liveServerWorld(engine);
    ({ world, id, ctx: owner } = opened);
    staff = withPermissions(await world.person(), 'admin.servers.list', 'admin.servers.edit');
    sent = [];
    const ok = (value: unknown) => ({ outcome: 'ok', value });
    Object.assign(opened.site.panel, {
      console: {
        read: async () => ok({ lines: [], gap: false }),
        send: async (_: string, text: string) => {
          sent.push(text);
          return ok(null);
        },
      },
      files: async (_: string, call: string) => {
        sent.push(call);
        return ok({ value: call === 'receive' ? { received: 3, done: false } : null, bytes: new Uint8Array() });
      },
      backups: async (_: string, call: string) => {
        sent.push(call);
        return ok({ value: null, bytes: new Uint8Array() });
      },
    });
  });
  afterEach(() => world.close());

  const withPermissions = (who: SignedIn, ...permissions: Permission[]): SignedIn => ({
    ...who,
    actor: { ...who.actor, permissions },
  });
  const history = async () =>
    (await world.servers.get(owner, id)).activity
      .filter(({ byStaff, actor }) => byStaff || actor !== null)
      .map(({ code, actor, byStaff }) => [code, actor, byStaff])
      .toReversed();
  async function audit() {
    const rows = await world.db.sql<{ action: string; actor_id: string; target: string; after: string }>(
      "SELECT * FROM audit WHERE action LIKE 'servers.%' AND target = ? ORDER BY at_ms, id",
      [id],
    );
    return rows.map((row) => {
      const { name, ...after } = JSON.parse(row.after) as Record<string, unknown>;
      expect([row.actor_id, name]).toEqual([staff.actor.userId, 'Lanternwood']);
      return [row.action, after];
    });
  }

  test('the page is that of a sub-user with every right, and says that staff see it', async () => {
    const page = await world.servers.getShared(staff, id);
    expect(page.asStaff).toBe(true);
    expect(page.server).toMatchObject({ id, owner: owner.actor.username, rights: [...SUBUSER_RIGHTS] });
    const reading = withPermissions(staff, 'admin.servers.list');
    expect((await world.servers.getShared(reading, id)).server.rights).toEqual(['readConsole']);
    expect((await world.servers.list(staff)).shared).toEqual([]);
    // Of the owner's own page nothing is opened by it.
    expect(await codeOf(world.servers.get(staff, id))).toBe('NOT_FOUND');
    expect(await codeOf(world.servers.getShared(withPermissions(staff, 'admin.servers.delete'), id))).toBe('NOT_FOUND');
  });

  test('everything that staff do is in the audit log with who did it, and in the history of the server as staff', async () => {
    await world.servers.getShared(staff, id);
    await world.servers.openConsole(staff, id);
    await world.servers.sendCommand(staff, id, 'op secret-word');
    await world.servers.sendCommand(staff, id, 'stop');
    await world.servers.files(staff, id, 'list', { path: '', from: 0, find: '' });
    await world.servers.files(staff, id, 'open', { path: 'config.yml' });
    await world.servers.files(staff, id, 'save', { path: 'config.yml', version: null }, new TextEncoder().encode('x'));
    const upload = { path: 'a.jar', upload: '0190a000-0000-7000-8000-000000000001', size: 6, replace: false };
    await world.servers.files(staff, id, 'receive', { ...upload, at: 0 }, new Uint8Array(3));
    await world.servers.files(staff, id, 'receive', { ...upload, at: 3 }, new Uint8Array(3));
    await world.servers.files(staff, id, 'delete', { paths: ['old', 'older'] });
    await world.servers.backups.make(staff, id, 'b1', 'before');
    await world.servers.backups.call(staff, id, 'lock', { backup: 'b1', locked: true });
    await world.servers.power(staff, id, 'restart');
    expect(await audit()).toEqual([
      ['servers.open', { what: 'page' }],
      ['servers.open', { what: 'console' }],
      ['servers.command', {}],
      ['servers.command', {}],
      ['servers.files', { did: 'open', path: 'config.yml' }],
      ['servers.files', { did: 'save', path: 'config.yml' }],
      ['servers.files', { did: 'receive', path: 'a.jar' }],
      ['servers.files', { did: 'delete', paths: ['old', 'older'] }],
      ['servers.backup', { did: 'make', backup: 'b1' }],
      ['servers.backup', { did: 'lock', backup: 'b1' }],
      ['servers.power', { signal: 'restart', answered: true }],
    ]);
    expect(await history()).toEqual([
      ['opened', null, true],
      ['commandSent', null, true],
      ['filesChanged', null, true],
      ['filesDeleted', null, true],
      ['backupMade', null, true],
      ['powerRestart', null, true],
    ]);
    // What was typed is nowhere, and the owner does not read who of staff it was.
    const kept = await world.db.sql<{ after: string | null }>('SELECT after FROM audit');
    expect(JSON.stringify(kept)).not.toContain('secret-word');
    expect(JSON.stringify(await world.servers.get(owner, id))).not.toContain(staff.actor.username);
  });

  test('opening is noted once an hour, and changing each time', async () => {
    for (let time = 0; time < 3; time += 1) {
      await world.servers.getShared(staff, id);
      await world.servers.power(staff, id, 'stop');
    }
    expect((await audit()).filter(([action]) => action === 'servers.open')).toHaveLength(1);
    expect((await audit()).filter(([action]) => action === 'servers.power')).toHaveLength(3);
    world.clock.advance(HOUR);
    await world.servers.getShared(staff, id);
    expect((await audit()).filter(([action]) => action === 'servers.open')).toHaveLength(2);
  });

  test('staff on a server of their own, and on one that is shared with them, act under their name', async () => {
    const mine = withPermissions(owner, 'admin.servers.list', 'admin.servers.edit');
    await world.servers.power(mine, id, 'start');
    await world.servers.subusers.add(owner, id, { username: staff.actor.username, rights: ['power'] });
    await world.servers.power(staff, id, 'stop');
    await world.servers.sendCommand(staff, id, 'list');
    expect((await history()).filter(([code]) => code !== 'subuserAdded')).toEqual([
      ['powerStart', owner.actor.username, false],
      ['powerStop', staff.actor.username, false],
      // What was not shared with them they do as staff.
      ['commandSent', null, true],
    ]);
    expect(await world.servers.getShared(staff, id)).toMatchObject({
      asStaff: true,
      server: { rights: [...SUBUSER_RIGHTS] },
    });
    // Both within one hour: what is noted of the one is not of the other.
    await world.servers.subusers.setRights(owner, id, { userId: staff.actor.userId, rights: ['sendCommands'] });
    await world.servers.sendCommand(staff, id, 'list');
    expect((await history()).at(-1)).toEqual(['commandSent', staff.actor.username, false]);
    await world.servers.subusers.leave(staff, id);
    expect(await codeOf(world.servers.subusers.leave(staff, id))).toBe('NOT_FOUND');
  });

  test('who views as a user who is staff, and a token of staff, open nothing', async () => {
    const viewer = { userId: 'somebody', username: 'somebody', untilMs: world.clock.now() + HOUR };
    const token = { id: 'token', scopes: [] };
    for (const actor of [
      { ...staff.actor, viewer },
      { ...staff.actor, token },
    ]) {
      const ctx = { ...staff, actor };
      for (const call of [
        () => world.servers.getShared(ctx, id),
        () => world.servers.usage(ctx, id),
        () => world.servers.power(ctx, id, 'stop'),
        () => world.servers.openConsole(ctx, id),
      ])
        expect(await codeOf(call())).toBe('NOT_FOUND');
    }
    expect(await audit()).toEqual([]);
  });

  test('an open console of staff ends when they may read it no more', async () => {
    let actor = staff.actor;
    const { stream } = consolesHandlers({
      servers: world.servers,
      bus: world.bus,
      identity: { resolve: async () => ({ actor }) as never },
    });
    const lines = (await stream(asCaller(staff), {
      params: { id },
      query: {},
      body: undefined,
    })) as AsyncIterable<unknown>;
    const reader = lines[Symbol.asyncIterator]();
    expect((await reader.next()).done).toBe(false);
    world.bus.publish([`session:${staff.actor.sessionId}`]);
    expect((await reader.next()).done).toBe(false);
    actor = { ...actor, permissions: [] };
    world.bus.publish([`session:${staff.actor.sessionId}`]);
    for (let tries = 0; tries < 20; tries += 1) if ((await reader.next()).done) break;
    expect((await reader.next()).done).toBe(true);
  });

  test('a suspended server is closed to staff as well, and one that is operated in its panel has no page for them', async () => {
    await world.suspendForBan(owner);
    expect(await codeOf(world.servers.power(staff, id, 'start'))).toBe('SERVER_SUSPENDED');
    expect(await codeOf(world.servers.sendCommand(staff, id, 'list'))).toBe('SERVER_SUSPENDED');
    expect(sent).toEqual([]);
    const { id: imitated } = await world.servers.create(owner, world.serverInput()).catch(() => ({ id: '' }));
    expect(await codeOf(world.servers.getShared(staff, imitated))).toBe('NOT_FOUND');
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { consolesHandlers } from '#server/api/consoles.ts';
import { serverFilesHandlers } from '#server/api/server-files.ts';
import { presentSharedPage } from '#server/api/present-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Panel } from '#server/modules/servers/index.ts';
import { MOST_SHARED_SERVERS, MOST_SUBUSERS, SUBUSER_RIGHTS, type SubuserRight } from '#shared/subusers.ts';
import { HOUR } from '#shared/time.ts';
import { atOnce, codeOf, keyed } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { asCaller, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// Who works on servers of others: added, changed, removed and left, over a panel that has consoles and files. Which
// endpoint asks for which right is shown in server-rights.test.ts.
describe.each([...ENGINES])('sub-users on %s', (engine) => {
  let world: ServersWorld;
  let owner: SignedIn;
  let friend: SignedIn;
  let id: string;
  let panel: Panel;
  let sent: string[];

  beforeEach(async () => {
    const opened = await liveServerWorld(engine);
    ({ world, id, ctx: owner } = opened);
    ({ panel } = opened.site);
    friend = await world.person();
    sent = [];
    Object.assign(panel, {
      console: {
        read: async () => ({ outcome: 'ok', value: { lines: [], gap: false } }),
        send: async (_: string, text: string) => {
          sent.push(text);
          return { outcome: 'ok', value: null };
        },
      },
      files: async (_: string, call: string) => {
        sent.push(call);
        const value = call === 'receive' ? { received: 3, done: false } : null;
        return { outcome: 'ok', value: { value, bytes: new Uint8Array() } };
      },
    });
  });
  afterEach(() => world.close());

  const add = (who = friend, rights: readonly SubuserRight[] = ['readConsole'], by = owner, at = id) =>
    world.servers.subusers.add(by, at, { username: who.actor.username, rights });
  const listed = async () => (await world.servers.get(owner, id)).subusers ?? [];
  const shared = async (who = friend) => (await world.servers.list(who)).shared.map((server) => server.id);
  const history = async () =>
    (await world.servers.get(owner, id)).activity.map(({ code, detail, actor }) => [code, detail, actor]);
  const bell = async (who: SignedIn) =>
    (
      await world.db.sql<{ kind: string; data: string }>(
        "SELECT kind, data FROM notifications WHERE user_id = ? AND kind LIKE 'subuser%' ORDER BY created_ms, id",
        [who.actor.userId],
      )
    ).map(({ kind, data }) => [kind, JSON.parse(data) as unknown]);

  test('an added user works on the server at once, is notified, and sees it among the shared ones', async () => {
    await add(friend, ['writeFiles', 'power']);
    expect(await listed()).toEqual([
      {
        userId: friend.actor.userId,
        username: friend.actor.username,
        rights: ['power', 'readFiles', 'writeFiles'],
        createdMs: world.clock.now(),
      },
    ]);
    expect(await bell(friend)).toEqual([['subuserAdded', { id, server: 'Lanternwood', name: owner.actor.username }]]);
    expect(await shared()).toEqual([id]);
    // Among one's own it is not, nor do its resources count.
    expect((await world.servers.list(friend)).servers).toEqual([]);
    expect((await world.servers.list(friend)).meters.slots.used).toBe(0);
    expect(await shared(owner)).toEqual([]);
    expect((await history())[0]).toEqual(['subuserAdded', friend.actor.username, owner.actor.username]);
  });

  test('what is shown to a sub-user holds nothing of the owner’s address, credits, limits and plans', async () => {
    await add(friend, SUBUSER_RIGHTS);
    const page = presentSharedPage(await world.servers.getShared(friend, id));
    expect(Object.keys(page).sort()).toEqual(['activity', 'as_staff', 'ports', 'server', 'variables']);
    expect(Object.keys(page.server).sort()).toEqual([
      'address',
      'description',
      'egg',
      'id',
      'location',
      'name',
      'owner',
      'resources',
      'rights',
      'state',
    ]);
    expect(JSON.stringify(page)).not.toContain('@');
    expect(page.server.owner).toBe(owner.actor.username);
    expect(await codeOf(world.servers.getShared(owner, id))).toBe('NOT_FOUND');
  });

  test('nobody is added twice, not even by two tabs at once, and a repeated click adds once', async () => {
    expect(await atOnce(20, () => add())).toEqual({ ok: 1, SUBUSER_EXISTS: 19 });
    const other = await world.person();
    const click = keyed(owner, 'key-0001');
    expect(await atOnce(5, () => add(other, ['power'], click))).toEqual({ ok: 5 });
    expect(await listed()).toHaveLength(2);
    expect(await bell(friend)).toHaveLength(1);
    expect(await bell(other)).toHaveLength(1);
  });

  test('the unknown, the banned and the deleted are unknown alike, an address names nobody, and the owner is none', async () => {
    const unknown = { fields: { username: ['USERNAME_UNKNOWN'] } };
    const named = (username: string) => world.servers.subusers.add(owner, id, { username, rights: ['power'] });
    await expect(named('nobody-here')).rejects.toMatchObject(unknown);
    await world.setStatus(friend, 'banned');
    await expect(add()).rejects.toMatchObject(unknown);
    expect(await codeOf(add(owner))).toBe('SUBUSER_IS_OWNER');
    expect(await listed()).toEqual([]);
  });

  test('T24 nobody shares, changes or removes on a server that is not theirs, and a sub-user adds nobody', async () => {
    const other = await world.person();
    await add(friend, SUBUSER_RIGHTS);
    for (const by of [friend, other]) {
      expect(await codeOf(add(other, ['power'], by))).toBe('NOT_FOUND');
      const { userId } = friend.actor;
      expect(await codeOf(world.servers.subusers.setRights(by, id, { userId, rights: ['power'] }))).toBe('NOT_FOUND');
      expect(await codeOf(world.servers.subusers.remove(by, id, userId))).toBe('NOT_FOUND');
    }
    expect(await codeOf(world.servers.subusers.leave(other, id))).toBe('NOT_FOUND');
    expect(await codeOf(world.servers.subusers.leave(owner, id))).toBe('NOT_FOUND');
    expect((await listed()).map(({ rights }) => rights)).toEqual([[...SUBUSER_RIGHTS]]);
  });

  test('a server that is operated in its panel is shared there', async () => {
    Object.assign(panel, { console: undefined });
    expect(await codeOf(add())).toBe('SUBUSERS_UNAVAILABLE');
    expect((await world.servers.get(owner, id)).subusers).toBeNull();
  });

  test('a server has so many sub-users and no more, however many are added at once', async () => {
    const people = await Promise.all(Array.from({ length: MOST_SUBUSERS + 3 }, () => world.person()));
    expect(await atOnce(people.length, (at) => add(people[at]))).toEqual({ ok: MOST_SUBUSERS, SUBUSER_LIMIT: 3 });
    const [first] = await listed();
    await world.servers.subusers.remove(owner, id, first?.userId ?? '');
    expect(await codeOf(add())).toBeNull();
  });

  test('a user works on so many servers of others and no more, whoever adds them at once', async () => {
    const values = Array.from({ length: MOST_SHARED_SERVERS - 1 }, (_, at) => `('s${at}', ?, '["power"]', 1, NULL)`);
    await world.db.sql(
      `INSERT INTO server_subusers (server_id, user_id, rights, created_ms, ended_ms) VALUES ${values.join(', ')}`,
      values.map(() => friend.actor.userId),
    );
    const second = await world.upServer(owner, { locationId: (await world.row(id)).locationId });
    const tally = await atOnce(2, (at) => add(friend, ['power'], owner, at === 0 ? id : second));
    expect(tally).toEqual({ ok: 1, SHARED_SERVER_LIMIT: 1 });
  });

  test('rights count from the next thing that is done, and the history says whose were changed', async () => {
    await add(friend, ['readConsole']);
    const { userId } = friend.actor;
    expect(await codeOf(world.servers.sendCommand(friend, id, 'list'))).toBe('FORBIDDEN');
    await world.servers.subusers.setRights(owner, id, { userId, rights: ['sendCommands'] });
    expect(await codeOf(world.servers.sendCommand(friend, id, 'list'))).toBeNull();
    expect(sent).toEqual(['list']);
    await world.servers.subusers.setRights(owner, id, { userId, rights: ['sendCommands', 'readConsole'] });
    const changes = (await history()).filter(([code]) => code === 'subuserChanged');
    expect(changes).toEqual([['subuserChanged', friend.actor.username, owner.actor.username]]);
    await world.servers.subusers.remove(owner, id, userId);
    // Another tab of the owner that still shows them.
    expect(await codeOf(world.servers.subusers.setRights(owner, id, { userId, rights: ['power'] }))).toBe('NOT_FOUND');
    expect(await codeOf(world.servers.subusers.remove(owner, id, userId))).toBe('NOT_FOUND');
    expect(await codeOf(world.servers.sendCommand(friend, id, 'list'))).toBe('NOT_FOUND');
  });

  test('a removed user is notified, an owner is notified of who leaves, and either may be added again', async () => {
    await add();
    world.clock.advance(1000);
    await world.servers.subusers.remove(owner, id, friend.actor.userId);
    expect(await shared()).toEqual([]);
    world.clock.advance(1000);
    await add(friend, ['power']);
    world.clock.advance(1000);
    await world.servers.subusers.leave(friend, id);
    expect(await codeOf(world.servers.subusers.leave(friend, id))).toBe('NOT_FOUND');
    world.clock.advance(1000);
    await add(friend, ['backups']);
    expect((await listed()).map(({ rights }) => rights)).toEqual([['backups']]);
    expect((await bell(friend)).map(([kind]) => kind)).toEqual([
      'subuserAdded',
      'subuserRemoved',
      'subuserAdded',
      'subuserAdded',
    ]);
    expect(await bell(owner)).toEqual([['subuserLeft', { id, server: 'Lanternwood', name: friend.actor.username }]]);
    const [name, by] = [friend.actor.username, owner.actor.username];
    expect((await history()).filter(([code]) => code?.startsWith('subuser')).slice(1, 4)).toEqual([
      ['subuserLeft', name, name],
      ['subuserAdded', name, by],
      ['subuserRemoved', name, by],
    ]);
  });

  test('a removal and what the removed one does at the same moment end without a right left over', async () => {
    await add(friend, SUBUSER_RIGHTS);
    const { userId } = friend.actor;
    const results = await Promise.all([
      codeOf(world.servers.subusers.remove(owner, id, userId)),
      codeOf(world.servers.subusers.leave(friend, id)),
      codeOf(world.servers.subusers.setRights(owner, id, { userId, rights: ['power'] })),
      codeOf(world.servers.updateVariables(friend, id, {})),
      codeOf(world.servers.power(friend, id, 'start')),
    ]);
    expect(results.slice(0, 2).filter((code) => code === null)).toHaveLength(1);
    expect(await listed()).toEqual([]);
    for (const call of [
      () => world.servers.power(friend, id, 'start'),
      () => world.servers.updateVariables(friend, id, {}),
      () => world.servers.usage(friend, id),
    ])
      expect(await codeOf(call())).toBe('NOT_FOUND');
  });

  test('T34 who is banned works on no server of others any more, and the end of the ban gives nothing back', async () => {
    await add(friend, SUBUSER_RIGHTS);
    const facts = { userId: friend.actor.userId, status: 'active', reason: 'spam', untilMs: null };
    await world.uow.run((tx) => world.deps.events.emit(tx, 'user.banned', facts));
    expect(await listed()).toEqual([]);
    expect(await codeOf(world.servers.getShared(friend, id))).toBe('NOT_FOUND');
    expect((await history())[0]).toEqual(['subuserRemoved', friend.actor.username, null]);
    expect(await bell(owner)).toEqual([]);
  });

  test('T27 T34 while the server is suspended its sub-users do nothing there, and with its deletion they have nothing', async () => {
    await add(friend, SUBUSER_RIGHTS);
    await world.suspendForBan(owner);
    expect((await world.servers.getShared(friend, id)).server).toMatchObject({ state: 'suspended' });
    for (const call of [
      () => world.servers.power(friend, id, 'start'),
      () => world.servers.sendCommand(friend, id, 'list'),
      () => world.servers.files(friend, id, 'list', { path: '', from: 0, find: '' }),
      () => world.servers.openConsole(friend, id),
      () => world.servers.updateVariables(friend, id, {}),
    ])
      expect(await codeOf(call())).toBe('SERVER_SUSPENDED');
    expect(sent).toEqual([]);
    await world.resumeAfterBan(owner);
    await world.pass(HOUR);
    await world.servers.delete(owner, id, 'Lanternwood');
    await world.pass(HOUR);
    expect((await world.row(id)).state).toBe('deleted');
    expect(await shared()).toEqual([]);
    const open = 'SELECT user_id FROM server_subusers WHERE ended_ms IS NULL';
    expect(await world.db.sql(open)).toEqual([]);
  });

  test('an open console ends at once when it is no longer shared, and one of the owner goes on', async () => {
    await add(friend, ['readConsole']);
    const open = async (who: SignedIn) => {
      const handlers = consolesHandlers({
        servers: world.servers,
        bus: world.bus,
        identity: { resolve: async () => ({ actor: who.actor }) } as never,
      });
      const stream = await handlers.stream(asCaller(who), { params: { id }, query: {} } as never);
      return (stream as AsyncIterable<{ event: string }>)[Symbol.asyncIterator]();
    };
    // Nothing comes: a reader waits in the node until something does.
    Object.assign(panel.console ?? {}, { read: () => new Promise(() => undefined) });
    const [theirs, own] = [await open(friend), await open(owner)];
    const waiting = theirs.next();
    const goesOn = own.next();
    await world.servers.subusers.remove(owner, id, friend.actor.userId);
    expect(await waiting).toEqual({ done: true, value: undefined });
    await own.return?.();
    expect((await goesOn).done).toBe(true);
  });

  test('an upload breaks off at its next part when the right to write ends', async () => {
    await add(friend, ['writeFiles']);
    const handlers = serverFilesHandlers({ servers: world.servers });
    const part = (at: number) =>
      codeOf(
        handlers.upload(asCaller(friend), {
          params: { id, upload: '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01' },
          query: { path: 'world.zip', at, size: 9 },
          body: new Uint8Array(3),
        } as never) as Promise<unknown>,
      );
    expect(await part(0)).toBeNull();
    const { userId } = friend.actor;
    await world.servers.subusers.setRights(owner, id, { userId, rights: ['readFiles'] });
    expect(await part(3)).toBe('FORBIDDEN');
    await world.servers.subusers.remove(owner, id, userId);
    expect(await part(3)).toBe('NOT_FOUND');
    expect(sent).toEqual(['receive']);
  });

  test('the history tells who did what: power at each time, commands and files once an hour for each person', async () => {
    await add(friend, SUBUSER_RIGHTS);
    await world.servers.power(friend, id, 'restart');
    await world.servers.power(owner, id, 'stop');
    for (const who of [owner, friend, friend]) {
      await world.servers.sendCommand(who, id, 'list');
      await world.servers.files(who, id, 'makeFolder', { path: 'a' });
      await world.servers.files(who, id, 'delete', { paths: ['a'] });
      await world.servers.files(who, id, 'bin', {});
    }
    const [name, by] = [friend.actor.username, owner.actor.username];
    const told = [
      ['commandSent', null, by],
      ['commandSent', null, name],
      ['filesChanged', null, by],
      ['filesChanged', null, name],
      ['filesDeleted', null, by],
      ['filesDeleted', null, name],
      ['powerRestart', null, name],
      ['powerStop', null, by],
    ];
    const seen = async () => (await history()).slice(0, -4).map(String).sort();
    const before = await history();
    expect(
      before
        .filter(([code]) => told.some(([each]) => each === code))
        .map(String)
        .sort(),
    ).toEqual(told.map(String).sort());
    world.clock.advance(HOUR);
    await world.servers.sendCommand(friend, id, 'list');
    expect(await seen()).toHaveLength(before.length + 1 - 4);
    // Who works on it sees the same.
    expect((await world.servers.getShared(friend, id)).activity).toEqual((await world.servers.get(owner, id)).activity);
  });

  test('the erasure of an account takes its name out of what others read of sharing, and its rights with it', async () => {
    const other = await world.person();
    await add(friend, ['power']);
    await add(other, ['power']);
    await world.servers.subusers.leave(other, id);
    const erase = (who: SignedIn) =>
      world.uow.run(async (tx) => {
        const { roleId = '' } = (await tx.identity.findUser(who.actor.userId)) ?? {};
        const name = `deleted-${who.actor.userId}`;
        await tx.deletions.erase(who.actor.userId, { username: name, email: `${name}@x.test`, roleId }, 1);
        await tx.identity.setStatus(who.actor.userId, 'deleted', { reason: null, untilMs: null }, 1);
      });
    const said = async () => JSON.stringify([...(await bell(owner)), ...(await bell(friend)), ...(await history())]);
    expect(await said()).toContain(other.actor.username);
    await erase(other);
    expect(await said()).not.toContain(other.actor.username);
    expect((await history()).filter(([code]) => code === 'subuserLeft')).toEqual([['subuserLeft', null, null]]);
    // The other sub-user is still there, until the owner's own account goes.
    expect((await listed()).map(({ username }) => username)).toEqual([friend.actor.username]);
    await erase(owner);
    expect(await bell(friend)).toEqual([]);
    expect(await world.db.sql('SELECT user_id FROM server_subusers')).toEqual([]);
  });

  test('variables are changed with the right for it, checked as the owner’s are, and reach the panel', async () => {
    await world.db.sql('UPDATE eggs SET variables = ?', [
      JSON.stringify([
        {
          env: 'MOTD',
          name: 'Message',
          description: '',
          default_value: '',
          rules: 'nullable|string|max:5',
          user_editable: true,
        },
      ]),
    ]);
    await add(friend, ['startup']);
    const { revision } = await world.row(id);
    expect(await codeOf(world.servers.updateVariables(friend, id, { MOTD: 'far too long' }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(world.servers.updateVariables(friend, id, { OTHER: 'x' }))).toBe('VALIDATION_FAILED');
    await world.servers.updateVariables(friend, id, { MOTD: 'hello' });
    expect(await world.row(id)).toMatchObject({ variables: { MOTD: 'hello' }, revision: revision + 1 });
    // The same once more changes nothing.
    await world.servers.updateVariables(friend, id, { MOTD: 'hello' });
    expect((await world.row(id)).revision).toBe(revision + 1);
    expect((await world.servers.getShared(friend, id)).variables).toMatchObject([{ env: 'MOTD', value: 'hello' }]);
    await world.servers.subusers.setRights(owner, id, { userId: friend.actor.userId, rights: ['power'] });
    expect((await world.servers.getShared(friend, id)).variables).toEqual([]);
  });
});

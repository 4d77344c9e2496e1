import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createImporter } from '#server/imports/engine.ts';
import type { ImportPanel } from '#server/imports/panel-side.ts';
import { createUndo } from '#server/modules/imports/index.ts';
import type { PanelUser } from '#server/modules/servers/panel/ports.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { dyingAt } from '#tests/support/dying.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { importOptions } from '#tests/support/imports/runs.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

type TestPanel = Awaited<ReturnType<ServersWorld['addPanel']>>;
const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
let world: ServersWorld;
let panel: TestPanel;
let folder: string;
async function openWorld(engine: Engine): Promise<void> {
  world = await serversWorld(engine);
  panel = await world.addPanel({ nodes: [{ id: 'a', ports: 8 }] });
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-import-'));
  await world.db.sql(
    "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('member', 'member', 'Member', '#888888', 0, 1, 0, 0)",
  );
}
async function closeWorld(): Promise<void> {
  await world.close();
  rmSync(folder, { recursive: true });
}

/** An account of the panel that the old dashboard made, and servers of it. */
async function oldAccount(email: string, servers: number): Promise<{ account: string; servers: string[] }> {
  const made = await panel.inner.ensureUser({
    externalId: `old-${email}`,
    username: email.split('@')[0] ?? '',
    email,
    firstName: 'O',
    lastName: 'L',
  });
  const account = made.outcome === 'ok' ? made.value : '';
  const own = panel.users.get(account);
  if (own) Object.assign(own, { externalId: null });
  const ids: string[] = [];
  for (let i = 0; i < servers; i += 1) {
    const taken = panel.servers.size;
    const server = await panel.inner.createServer({
      externalId: `old-server-${taken}`,
      userId: account,
      name: `World ${taken}`,
      description: '',
      location: { id: '', name: '', address: '' },
      placement: { node: 'a', allocation: `a-${25_565 + taken}`, additional: [] },
      egg: { id: '5', dockerImage: '', startup: '' },
      resources: SMALL,
      environment: {},
    });
    if (server.outcome !== 'ok') throw new Error(server.outcome);
    ids.push(server.value.panelId);
  }
  world.clock.advance(MINUTE);
  return { account, servers: ids };
}

const bound: [string, PanelUser][] = [];
function importer(dying: (uow: UnitOfWork) => UnitOfWork = (uow) => uow) {
  const importPanel: ImportPanel = {
    id: panel.id,
    panel: panel.panel,
    catalogue: {
      accounts: () =>
        Promise.resolve({
          outcome: 'ok',
          value: [...panel.users.values()].map(({ id, email, username, externalId }) => ({
            id: String(id),
            email,
            username,
            externalId,
            admin: false,
          })),
        }),
      bindAccount: (id, user, _password, formerId = null) => {
        bound.push([id, user]);
        const account = panel.users.get(id);
        if (account?.email.toLowerCase() !== user.email.toLowerCase())
          return Promise.resolve({ outcome: 'refused', reason: 'email' });
        if (account.externalId !== null && ![user.externalId, formerId].includes(account.externalId))
          return Promise.resolve({ outcome: 'refused', reason: 'external_id' });
        Object.assign(account, { externalId: user.externalId });
        return Promise.resolve({ outcome: 'ok', value: null });
      },
    },
  };
  const { uow, clock, ids, ledger, settings } = world;
  return createImporter({
    uow: dying(uow),
    clock,
    ids,
    ledger,
    traceOf: (text) => text,
    folder,
    passwords: { hash: () => Promise.resolve('') },
    settings: { current: settings.current, set: () => Promise.resolve() },
    adopt: world.servers.adopt,
    findPanel: () => Promise.resolve(importPanel),
    roles: () =>
      uow.read(async (tx) =>
        (await tx.access.listRoles()).map((role) => ({
          ...role,
          isStaff: role.key !== 'member',
          isOwner: role.key === 'owner',
        })),
      ),
    mysql: { resolve: () => Promise.resolve([]), kindOf: () => 'forbidden' },
    departmentName: 'Support',
    isStopped: () => false,
    onStep: () => undefined,
  });
}
const optionsOf = (path: string) => importOptions('jexactyl', { path });
/** A dump of Jexactyl, whose users and servers are the panel's. */
function dumpOf(
  users: readonly [id: string, email: string][],
  servers: readonly [id: string, owner: string, days: number][],
): string {
  const path = join(folder, 'dump.sql');
  const lines = [
    'CREATE TABLE `users` (\n  `id` int,\n  `username` text,\n  `email` text,\n  `name_first` text,\n  `store_balance` int\n);',
    'CREATE TABLE `servers` (\n  `id` int,\n  `name` text,\n  `owner_id` int,\n  `renewable` tinyint(1),\n  `renewal` int\n);',
    ...users.map(([id, email]) => `INSERT INTO \`users\` VALUES (${id},'name${id}','${email}','N',10);`),
    ...servers.map(([id, owner, days]) => `INSERT INTO \`servers\` VALUES (${id},'world',${owner},1,${days});`),
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

describe.each(ENGINES)('servers that come over on %s', (engine) => {
  beforeEach(() => openWorld(engine));
  afterEach(closeWorld);

  test('each is its owner’s at its own panel, nothing is made, deleted or charged there, and it does not end before its grace', async () => {
    const ann = await oldAccount('ann@old.example', 2);
    const [first = '', second = ''] = ann.servers;
    const before = panel.servers.size;
    const path = dumpOf(
      [[ann.account, 'ANN@old.example']],
      [
        [first, ann.account, 0],
        [second, ann.account, 90],
        ['999', ann.account, 7],
        [first, '77', 1],
      ],
    );
    const { check, apply } = importer();
    const { id, summary } = await check(optionsOf(path), null, null);
    expect(summary.kinds.server).toMatchObject({ ready: 2, left: 1 });
    const done = await apply(id, null);
    expect(done.kinds.server).toMatchObject({ done: 2, left: 1 });
    expect(done.notes).toContainEqual({ kind: 'server', reason: 'server_missing', n: 1 });
    await world.pass(MINUTE);
    const rows = await world.db.sql<{
      id: string;
      user_id: string;
      panel_id: string;
      expires_ms: number;
      auto_renew: number;
    }>('SELECT * FROM servers ORDER BY panel_id');
    expect(rows.map(({ panel_id: at, auto_renew: renews }) => [at, renews])).toEqual([
      [first, 0],
      [second, 0],
    ]);
    expect((rows[0]?.expires_ms ?? 0) - world.clock.now()).toBeGreaterThan(6 * DAY);
    expect((rows[1]?.expires_ms ?? 0) - world.clock.now()).toBeGreaterThan(80 * DAY);
    expect(panel.servers.size).toBe(before);
    expect(panel.users.get(ann.account)?.externalId).toBe(rows[0]?.user_id ?? '');
    expect(await world.db.sql('SELECT amount FROM ledger_postings')).toEqual([{ amount: 10 }]);
    expect(await world.db.sql('SELECT * FROM mails')).toEqual([]);
    expect(await world.db.sql('SELECT * FROM notifications')).toEqual([]);
  });

  test('what was paid for at Heliactyl is kept: newer editions name the day, older ones the last renewal', async () => {
    const ann = await oldAccount('ann@old.example', 3);
    const [next = '', last = '', none = ''] = ann.servers;
    const inDays = (days: number) => world.clock.now() + days * DAY;
    const listed = await panel.panel.listServers(1);
    const identifier =
      listed.outcome === 'ok' ? listed.value.servers.find((each) => each.panelId === next)?.identifier : '';
    expect(identifier).toBeTruthy();
    const path = join(folder, 'database.sqlite');
    const store = new Database(path, { create: true });
    store.run('CREATE TABLE keyv (key VARCHAR(255) PRIMARY KEY, value TEXT)');
    for (const [name, value] of [
      ['users-123456789012345678', Number(ann.account)],
      [`renewal_${identifier}`, { nextRenewal: new Date(inDays(90)).toISOString(), isActive: true }],
      [`lastrenewal-${last}`, inDays(-2)],
      [`lastrenewal-${none}`, 'rubbish'],
    ] as const)
      store.run('INSERT INTO keyv VALUES (?, ?)', [name, JSON.stringify({ value, expires: null })]);
    store.close();
    const paidUntil = async (instance: string, renewDays?: number) => {
      const { check, apply } = importer();
      const options = importOptions('heliactyl', { path }, { instance, ...(renewDays ? { renewDays } : {}) });
      const { id } = await check(options, null, null);
      await apply(id, null);
      const rows = await world.db.sql<{ panel_id: string; expires_ms: number }>('SELECT * FROM servers');
      const found = (at: string) => rows.find((row) => row.panel_id === at)?.expires_ms ?? 0;
      await createUndo({ ...world, traceOf: (text) => text }).undo(null, id);
      return [found(next), found(last), found(none)];
    };
    const grace = (await paidUntil('a'))[2] ?? 0;
    expect(grace).toBeGreaterThan(world.clock.now());
    expect(await paidUntil('b')).toEqual([inDays(90), grace, grace]);
    expect(await paidUntil('c', 60)).toEqual([inDays(90), inDays(58), grace]);
  });

  test('T28 an account of the panel with another address stays as it is and is listed, and so are servers that somebody has', async () => {
    const ann = await oldAccount('ann@old.example', 1);
    const [server = ''] = ann.servers;
    const path = dumpOf([[ann.account, 'other@old.example']], [[server, ann.account, 5]]);
    const { check, apply } = importer();
    const done = await apply((await check(optionsOf(path), null, null)).id, null);
    expect(done.notes).toContainEqual({ kind: 'user', reason: 'account_refused', n: 1 });
    expect(panel.users.get(ann.account)?.externalId ?? null).toBeNull();
    const again = dumpOf([['4242', 'third@old.example']], [[server, '4242', 5]]);
    const second = await apply((await check({ ...optionsOf(again), instance: 'other' }, null, null)).id, null);
    expect(second.notes).toContainEqual({ kind: 'server', reason: 'server_taken', n: 1 });
  });

  test('an undo lets go of the servers, which their panel keeps also after it is compared', async () => {
    const ann = await oldAccount('ann@old.example', 1);
    const [server = ''] = ann.servers;
    const { check, apply } = importer();
    const { id } = await check(
      optionsOf(dumpOf([[ann.account, 'ann@old.example']], [[server, ann.account, 5]])),
      null,
      null,
    );
    await apply(id, null);
    await world.pass(MINUTE);
    await createUndo({ ...world, traceOf: (text) => text }).undo(null, id);
    expect(await world.db.sql('SELECT id FROM servers')).toEqual([]);
    await world.servers.reconcile();
    await world.pass(MINUTE);
    expect(panel.servers.has(Number(server))).toBe(true);
  });

  test('T28 an account and a server that an undone import gave our ids are bound by the next import', async () => {
    const ann = await oldAccount('ann@old.example', 1);
    const [server = ''] = ann.servers;
    const path = dumpOf([[ann.account, 'ann@old.example']], [[server, ann.account, 5]]);
    const first = await importer().check(optionsOf(path), null, null);
    await importer().apply(first.id, null);
    await world.pass(MINUTE);
    await createUndo({ ...world, traceOf: (text) => text }).undo(null, first.id);
    const left = panel.users.get(ann.account)?.externalId;
    expect(left).toBeTruthy();
    const second = await importer().check(optionsOf(path), null, null);
    const { kinds, notes } = await importer().apply(second.id, null);
    expect(kinds.server.done).toBe(1);
    expect(notes.map(({ reason }) => reason)).not.toContain('account_refused');
    const [user] = await world.db.sql<{ id: string }>("SELECT id FROM users WHERE email = 'ann@old.example'");
    expect(user?.id).not.toBe(left);
    expect(panel.users.get(ann.account)?.externalId).toBe(user?.id ?? '');
    expect(await world.db.sql('SELECT user_id, account FROM panel_accounts')).toEqual([
      { user_id: user?.id ?? '', account: ann.account },
    ]);
    expect(await world.db.sql('SELECT user_id FROM servers')).toEqual([{ user_id: user?.id ?? '' }]);
  });

  /** Two users with a server and 10 credits each, who came with one run. Out: the run. */
  async function bringTwo(): Promise<string> {
    const accounts = [await oldAccount('ann@old.example', 1), await oldAccount('bob@old.example', 1)];
    const path = dumpOf(
      accounts.map(({ account }, i) => [account, ['ann@old.example', 'bob@old.example'][i] ?? ''] as [string, string]),
      accounts.map(({ account, servers }) => [servers[0] ?? '', account, 30] as [string, string, number]),
    );
    const { id } = await importer().check(optionsOf(path), null, null);
    await importer().apply(id, null);
    await world.pass(MINUTE);
    return id;
  }
  /** What everybody has: credits and servers, by address. */
  const possessions = async () =>
    Object.fromEntries(
      (
        await world.db.sql<{ email: string; balance: number; servers: number }>(
          `SELECT u.email, b.balance, (SELECT COUNT(*) FROM servers s WHERE s.user_id = u.id) AS servers FROM users u
           LEFT JOIN ledger_balances b ON b.account = 'user:' || u.id WHERE u.status <> 'deleted' AND u.email LIKE '%@old.example'`,
        )
      ).map(({ email, balance, servers }) => [email, { balance, servers: Number(servers) }]),
    );
  const runOf = async (id: string) =>
    (await world.db.sql('SELECT state, fault FROM import_runs WHERE id = ?', [id]))[0];

  test('T46 who logs in at any moment of an undo keeps account, credits and server, or is gone with all three', async () => {
    const outcomes = new Set<string>();
    for (let moment = 1; ; moment += 1) {
      await closeWorld();
      await openWorld(engine);
      const id = await bringTwo();
      let commands = 0;
      const uow: UnitOfWork = {
        read: (work) => world.uow.read(work),
        async run(work) {
          commands += 1;
          if (commands === moment) await world.db.sql("UPDATE users SET seen_ms = 5 WHERE email = 'ann@old.example'");
          return world.uow.run(work);
        },
      };
      await createUndo({ ...world, uow, traceOf: (text) => text }).undo(null, id);
      const left = await possessions();
      outcomes.add(Object.keys(left).join());
      if ('ann@old.example' in left) {
        expect(left).toEqual({ 'ann@old.example': { balance: 10, servers: 1 } });
        expect(await runOf(id)).toEqual({ state: 'undone', fault: 'some_stayed' });
        // Known as brought by the run, so that the next one does not bring it again.
        expect(await world.db.sql("SELECT kind FROM imported_rows WHERE kind = 'server'")).toHaveLength(1);
      } else {
        expect(left).toEqual({});
        expect(await runOf(id)).toEqual({ state: 'undone', fault: null });
      }
      expect(await world.db.uow.read((tx) => tx.ledger.verify())).toEqual([]);
      if (commands < moment) break;
    }
    expect(outcomes).toEqual(new Set(['ann@old.example', '']));
  });

  test('T46 an undo that is killed at any moment is carried through, also where somebody logs in before it goes on', async () => {
    for (const after of [false, true])
      for (let moment = 1; ; moment += 1) {
        await closeWorld();
        await openWorld(engine);
        const id = await bringTwo();
        let died = false;
        await createUndo({ ...world, uow: dyingAt(world.uow, moment, after), traceOf: (text) => text })
          .undo(null, id)
          .catch(() => void (died = true));
        const begun = (await runOf(id))?.fault === 'undo_stopped';
        // Nobody is gone while a server of theirs is here.
        expect(
          await world.db.sql("SELECT s.id FROM servers s JOIN users u ON u.id = s.user_id WHERE u.status = 'deleted'"),
        ).toEqual([]);
        const isAnnHere = 'ann@old.example' in (await possessions());
        if (begun) await world.db.sql("UPDATE users SET seen_ms = 5 WHERE email = 'ann@old.example'");
        if (died) await createUndo({ ...world, traceOf: (text) => text }).undo(null, id);
        const stays = begun && isAnnHere;
        expect(await possessions()).toEqual(stays ? { 'ann@old.example': { balance: 10, servers: 1 } } : {});
        expect(await runOf(id)).toEqual({ state: 'undone', fault: stays ? 'some_stayed' : null });
        expect(await world.db.uow.read((tx) => tx.ledger.verify())).toEqual([]);
        if (!died) break;
      }
  });

  test('a server that its owner, who was here before, has paid for since stays theirs', async () => {
    const ann = await oldAccount('ann@old.example', 2);
    const [first = '', second = ''] = ann.servers;
    const one = dumpOf([[ann.account, 'ann@old.example']], [[first, ann.account, 30]]);
    await importer().apply((await importer().check(optionsOf(one), null, null)).id, null);
    const two = dumpOf(
      [[ann.account, 'ann@old.example']],
      [
        [first, ann.account, 30],
        [second, ann.account, 30],
      ],
    );
    const { id } = await importer().check(optionsOf(two), null, null);
    await importer().apply(id, null);
    const [server] = await world.db.sql<{ id: string; user_id: string }>('SELECT * FROM servers WHERE panel_id = ?', [
      second,
    ]);
    await world.db.uow.run((tx) =>
      world.ledger.transfer(tx, {
        kind: 'server.renew',
        reference: `renew:${server?.id}:0`,
        postings: [{ source: `user:${server?.user_id}`, destination: 'system:renewal', amount: toCredits(3) }],
      }),
    );
    await createUndo({ ...world, traceOf: (text) => text }).undo(null, id);
    expect(await possessions()).toEqual({ 'ann@old.example': { balance: 7, servers: 2 } });
    expect(await runOf(id)).toEqual({ state: 'undone', fault: 'some_stayed' });
  });

  test('T46 killed before or after any of its commands, an import goes on, and every server came once to its owner', async () => {
    for (const after of [false, true])
      for (let moment = 1; ; moment += 1) {
        await closeWorld();
        await openWorld(engine);
        const ann = await oldAccount('ann@old.example', 2);
        const before = panel.servers.size;
        const path = dumpOf(
          [[ann.account, 'ann@old.example']],
          ann.servers.map((id) => [id, ann.account, 30] as const),
        );
        const { id } = await importer().check(optionsOf(path), null, null);
        let died = false;
        await importer((uow) => dyingAt(uow, moment, after))
          .apply(id, null)
          .catch((error: unknown) => {
            expect(String(error)).toContain('killed');
            died = true;
          });
        const [run] = await world.db.sql<{ state: string }>('SELECT state FROM import_runs');
        if (run?.state !== 'done') await importer().apply(id, null);
        await world.pass(MINUTE);
        const rows = await world.db.sql<{ panel_id: string; user_id: string }>(
          'SELECT panel_id, user_id FROM servers ORDER BY panel_id',
        );
        expect(rows.map((row) => row.panel_id)).toEqual(ann.servers);
        expect(new Set(rows.map((row) => row.user_id))).toEqual(
          new Set([panel.users.get(ann.account)?.externalId ?? '']),
        );
        expect(await world.db.sql("SELECT source_id FROM imported_rows WHERE kind = 'server'")).toHaveLength(2);
        expect(await world.db.sql('SELECT amount FROM ledger_postings')).toEqual([{ amount: 10 }]);
        expect(panel.servers.size).toBe(before);
        if (!died) break;
      }
  });
});

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

setDefaultTimeout(300_000);

describe.each(ENGINES)('the log and the audit log for staff on %s', (engine) => {
  let harness: Harness;
  let root: Person;
  let staff: Person;
  let other: Person;
  beforeEach(async () => {
    harness = await openHarness({ engine });
    root = await harness.person('olga', { permissions: ['admin.root'] });
    staff = await harness.person('radu', {
      permissions: [
        'admin.dashboard.components.system.logs',
        'admin.dashboard.components.activity.view',
        'admin.locations.list',
      ],
    });
    other = await harness.person('nora', { permissions: ['admin.settings.edit'] });
  });
  afterEach(() => harness.close());

  const add = (action: string, more: { actor?: Person; before?: unknown; after?: unknown; target?: string } = {}) =>
    harness.db.uow.run((tx) =>
      tx.audit.add({
        id: harness.host.services.ids.uuid(),
        atMs: harness.clock.advance(1000),
        actorId: more.actor?.id ?? null,
        action,
        target: more.target ?? null,
        before: more.before ?? null,
        after: more.after ?? null,
        address: '203.0.113.9',
        device: 'Firefox · Linux',
        requestId: null,
      }),
    );
  const actionsOf = async (person: Person, query: Record<string, string> = {}) =>
    (await person.api.adminAudit.list({ query })).entries.map(({ action }) => action);

  test('staff change the level while the server runs, with an entry in the audit log; T61 only those with the right', async () => {
    expect((await staff.api.adminLogs.list({})).level).toBe('silent');
    await other.api.adminLogs.setLevel({ body: { level: 'debug' } });
    expect((await staff.api.adminLogs.list({})).level).toBe('debug');
    const refused = [
      await call(harness, staff, 'POST', '/api/admin/logs/level', { level: 'error' }),
      await call(harness, other, 'GET', '/api/admin/logs'),
      await call(harness, other, 'GET', '/api/admin/audit'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await harness.db.sql("SELECT target FROM audit WHERE action = 'logs.level'")).toHaveLength(1);
  });

  test('a request is found by its id in the log, and what it changed in the audit log', async () => {
    const answer = await harness.http('/api/admin/logs/level', {
      method: 'POST',
      headers: {
        Cookie: `__Host-spawnpoint=${root.secret}`,
        Origin: 'http://127.0.0.1',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ level: 'debug' }),
    });
    const request = answer.headers.get('x-request-id') ?? '';
    expect([answer.status, request.length]).toEqual([200, 36]);
    const { lines } = await staff.api.adminLogs.list({ query: { request } });
    expect(lines.map(({ event, request_id: id }) => [event, id])).toEqual([['http.request', request]]);
    expect(lines[0]?.details).toContain('path=/api/admin/logs/level status=200');
    const { entries } = await root.api.adminAudit.list({ query: { request } });
    expect(entries).toMatchObject([{ action: 'logs.level', actor: 'olga', request_id: request }]);
    expect(await staff.api.adminLogs.list({ query: { q: 'nothing like that' } })).toMatchObject({ lines: [] });
  });

  test('T59 staff see entries of the areas that they may list, and no addresses unless they edit users', async () => {
    await add('locations.edit', {
      actor: root,
      before: { name: 'Paris', vip: false },
      after: { name: 'Paris', vip: true },
    });
    await add('eggs.edit', { actor: root, after: { name: 'Paper' } });
    await add('account.login', { actor: root });
    expect((await actionsOf(root)).slice(0, 2)).toEqual(['eggs.edit', 'locations.edit']);
    expect(await actionsOf(staff)).toEqual(['locations.edit']);
    expect(await actionsOf(root)).not.toContain('account.login');
    const [seen] = (await staff.api.adminAudit.list({})).entries;
    expect(seen).toMatchObject({
      actor: 'olga',
      target: 'Paris',
      address: null,
      device: 'Firefox · Linux',
      changes: [{ name: 'vip', before: 'false', after: 'true' }],
    });
    expect((await root.api.adminAudit.list({})).entries[1]?.address).toBe('203.0.113.9');
    const file = await harness.http('/api/admin/audit/export.csv', {
      headers: { Cookie: `__Host-spawnpoint=${staff.secret}` },
    });
    const rows = (await file.text()).trim().split('\r\n');
    expect([rows.length, rows[1]?.includes('locations.edit'), rows[1]?.includes('203.0.113.9')]).toEqual([
      2,
      true,
      false,
    ]);
  });

  test('T50 a value under a secret name is masked, whoever wrote it down', async () => {
    await add('panels.edit', { before: { key: 'ptla_old' }, after: { key: 'ptla_new', name: 'Main' } });
    const [entry] = (await root.api.adminAudit.list({})).entries;
    expect(JSON.stringify(entry)).not.toContain('ptla_');
    expect(entry?.target).toBe('Main');
    await add('redeemCodes.edit', { before: { code: 'SPRING' }, after: { code: 'SUMMER' } });
    expect(JSON.stringify((await root.api.adminAudit.list({})).entries[0])).not.toContain('SUMMER');
  });

  test('the code of a location is no secret: everybody sees it', async () => {
    await add('locations.edit', { before: { code: 'FRA', token: 'a' }, after: { code: 'DE1', token: 'b' } });
    const [entry] = (await root.api.adminAudit.list({})).entries;
    expect(entry?.changes).toEqual([{ name: 'code', before: 'FRA', after: 'DE1' }]);
  });

  test('a moment is written as one, and a length of time as it is', async () => {
    const at = Date.UTC(2026, 10, 24, 2, 16);
    await add('announcements.edit', { before: {}, after: { publishMs: at, pauseMs: 60_000 } });
    const [entry] = (await root.api.adminAudit.list({})).entries;
    expect(entry?.changes).toEqual([
      { name: 'publishMs', before: null, after: '2026-11-24T02:16:00.000Z' },
      { name: 'pauseMs', before: null, after: '60000' },
    ]);
  });

  test('entries are found by actor, text and days, and in pages', async () => {
    await add('locations.delete', { actor: staff, before: { name: 'Lyon 100%' } });
    expect(await actionsOf(root, { actor: 'RADU' })).toEqual(['locations.delete']);
    expect(await actionsOf(root, { actor: 'nobody' })).toEqual([]);
    expect(await actionsOf(root, { q: 'lyon 100%' })).toEqual(['locations.delete']);
    expect(await actionsOf(root, { q: 'l_on' })).toEqual([]);
    harness.clock.advance(2 * DAY);
    expect(await actionsOf(root, { days: '1' })).toEqual([]);
    for (let at = 0; at < 55; at += 1) await add('locations.create', { target: `t${at}` });
    const first = await staff.api.adminAudit.list({ query: {} });
    expect([first.entries.length, first.entries[0]?.target]).toEqual([50, 't54']);
    const second = await staff.api.adminAudit.list({ query: { before: first.older ?? '' } });
    expect(second.entries[0]?.target).toBe('t4');
    expect(second.older).toBeNull();
  });
});

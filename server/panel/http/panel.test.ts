import { describe, expect, test } from 'bun:test';
import type { PanelServerSpec } from '#server/modules/servers/panel/ports.ts';
import {
  listBody,
  networkError,
  panelDeps,
  panelErrors,
  scriptedPanel,
  serverBody,
  type Scripted,
  type SentCall,
} from '#tests/support/panel-http.ts';
import { createHttpPanel } from './panel.ts';

type Dialect = 'pterodactyl' | 'pelican';
const BOTH: readonly Dialect[] = ['pterodactyl', 'pelican'];
function world(
  answers: Scripted[] = [],
  {
    dialect = 'pterodactyl',
    clientKey = 'ptlc_key',
    rest,
  }: { dialect?: Dialect; clientKey?: string | null; rest?: (call: SentCall) => Scripted } = {},
) {
  const script = scriptedPanel(answers, rest);
  const deps = panelDeps(script.fetch);
  return {
    ...script,
    deps,
    ...createHttpPanel(deps, { id: 'p1', dialect, url: 'https://panel.example.test', key: 'ptla_key', clientKey }),
  };
}
const asked = (calls: readonly SentCall[]) =>
  calls.map(({ method, path }) => `${method} ${path.replace('/api/application', '')}`);
const gone = panelErrors(404, 'NotFoundHttpException', 'The requested resource could not be found on the server.');
const ok = (body: unknown): Scripted => ({ status: 200, body });

const ID = '0192f3a1-5c6d-7abc-8def-0123456789ab';
const USER = { externalId: ID, username: 'Alex', email: 'alex@example.test', firstName: 'Alex', lastName: '' };
const account = (id: number, externalId: string | null = ID) => ({
  object: 'user',
  attributes: { id, external_id: externalId, username: 'x', email: 'y', root_admin: false, '2fa': false },
});

describe('accounts', () => {
  test('the account with our id is used, and only that', async () => {
    const there = panelErrors(422, 'ValidationException', 'taken', {
      email: 'unique',
      username: 'unique',
      external_id: 'unique',
    });
    const { panel, sent } = world([there, ok(account(5))]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '5' });
    expect(asked(sent)).toEqual(['POST /users', `GET /users/external/${ID}`]);
    expect(await world([there, ok(account(5, ID.toUpperCase()))]).panel.ensureUser(USER)).toEqual({
      outcome: 'refused',
      reason: 'external_id',
    });
  });

  test('T28 an account that has another id of ours is bound only where that is the one of somebody who is deleted', async () => {
    const old = '0192f3a1-5c6d-7abc-8def-000000000000';
    const details = (externalId: string) => ({
      object: 'user',
      attributes: { id: 5, external_id: externalId, username: 'x', email: USER.email, root_admin: false },
    });
    for (const formerId of [undefined, null, ID.replace('0', '1')]) {
      const { catalogue, sent } = world([ok(details(old))]);
      expect(await catalogue.bindAccount('5', USER, null, formerId)).toEqual({
        outcome: 'refused',
        reason: 'external_id',
      });
      expect(asked(sent)).toEqual(['GET /users/5']);
    }
    const { catalogue, sent } = world([ok(details(old)), ok(details(ID))]);
    expect(await catalogue.bindAccount('5', USER, null, old)).toEqual({ outcome: 'ok', value: null });
    expect(asked(sent)).toEqual(['GET /users/5', 'PATCH /users/5']);
  });

  test('an account is made with our id, and the panel of each kind gets the fields it wants', async () => {
    for (const dialect of BOTH) {
      const { panel, sent } = world([{ status: 201, body: account(9) }], { dialect });
      expect(await panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '9' });
      const names = dialect === 'pterodactyl' ? { first_name: 'Alex', last_name: '-' } : {};
      expect(sent[0]).toMatchObject({ method: 'POST', path: '/api/application/users' });
      expect(sent[0]?.body).toEqual({ external_id: ID, email: 'alex@example.test', username: 'alex', ...names });
    }
  });

  test('T28 an account that has the address and not our id is never taken, and none is made beside it', async () => {
    const { panel, sent } = world([
      panelErrors(422, 'ValidationException', 'taken', { email: 'unique', username: 'unique' }),
    ]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'refused', reason: 'email_taken' });
    expect(asked(sent)).toEqual(['POST /users']);
    expect(sent.some(({ path }) => path.includes('filter'))).toBe(false);
  });

  test('T28 an account of somebody else in the answer is none', async () => {
    const { panel } = world([{ status: 201, body: account(1, null) }, gone]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'unknown' });
  });

  test('a username that is taken is not the end', async () => {
    const taken = panelErrors(422, 'ValidationException', 'taken', { username: 'unique' });
    const { panel, sent } = world([taken, taken, { status: 201, body: account(9) }]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '9' });
    expect(sent.map(({ body }) => body)).toMatchObject([
      { username: 'alex' },
      { username: 'alex_6789ab' },
      { username: 'alex_0123456789ab' },
    ]);
    expect(await world([taken, taken, taken, taken]).panel.ensureUser(USER)).toEqual({
      outcome: 'refused',
      reason: 'username_taken',
    });
  });

  test('T26 a caller who loses a race, or the answer, searches by our id', async () => {
    for (const lost of [
      panelErrors(500, 'UniqueConstraintViolationException'),
      panelErrors(422, 'ValidationException', '', { external_id: 'unique' }),
      networkError('ECONNRESET'),
    ]) {
      expect(await world([lost, ok(account(9))]).panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '9' });
    }
    expect(await world([networkError('ECONNRESET'), gone]).panel.ensureUser(USER)).toEqual({ outcome: 'unknown' });
    expect(await world([panelErrors(401, 'AuthenticationException')]).panel.ensureUser(USER)).toEqual({
      outcome: 'refused',
      reason: 'key',
    });
  });

  test('a change sends all the panel wants, and nothing of language, password or power', async () => {
    const { panel, sent } = world([ok(account(5))]);
    expect(await panel.updateUser('5', { ...USER, email: 'new@example.test', lastName: 'B.' })).toEqual({
      outcome: 'ok',
      value: null,
    });
    expect(sent[0]).toMatchObject({ method: 'PATCH', path: '/api/application/users/5' });
    expect(sent[0]?.body).toEqual({
      external_id: ID,
      email: 'new@example.test',
      username: 'alex',
      first_name: 'Alex',
      last_name: 'B.',
    });
    expect(
      await world([panelErrors(422, 'ValidationException', '', { email: 'unique' })]).panel.updateUser('5', USER),
    ).toEqual({ outcome: 'refused', reason: 'email_taken' });
    expect(await world([gone]).panel.updateUser('5', USER)).toEqual({ outcome: 'not_found' });
    expect(await world().panel.updateUser('../1', USER)).toEqual({ outcome: 'refused', reason: 'id' });
  });
});

const RESOURCES = { memory: 1024, disk: 5120, cpu: 100, ports: 2, databases: 1, backups: 3 };
const SPEC: PanelServerSpec = {
  externalId: 'ours-1',
  userId: '5',
  name: 'Survival',
  description: '',
  location: { id: 'l', name: 'EU', address: 'x' },
  placement: { node: '2', allocation: '7', additional: ['8'] },
  egg: { id: '3', dockerImage: 'img:1', startup: 'java -jar {{JAR}}' },
  resources: RESOURCES,
  environment: { JAR: 'server.jar', BUILD: '12' },
};
const ENVIRONMENT = {
  JAR: 'server.jar',
  BUILD: 12,
  ONLINE: false,
  EMPTY: null,
  STARTUP: 'java',
  P_SERVER_UUID: 'u',
  P_SERVER_LOCATION: 'eu',
  P_SERVER_ALLOCATION_LIMIT: 2,
};
const TWO = [
  { id: 8, port: 25_566 },
  { id: 7, port: 25_565, alias: 'play.example.test' },
];

describe('servers are made and read', () => {
  test('a creation sends everything: location, images, variables as text, limits without a hole', async () => {
    for (const dialect of BOTH) {
      const { panel, sent } = world(
        [{ status: 201, body: serverBody({ status: 'installing', container: { environment: ENVIRONMENT } }, TWO) }],
        { dialect },
      );
      expect(await panel.createServer(SPEC)).toEqual({
        outcome: 'ok',
        value: {
          panelId: '41',
          externalId: 'ours-1',
          identifier: 'b8254f63',
          userId: '5',
          node: '2',
          egg: '3',
          name: 'Survival',
          description: '',
          state: 'installing',
          suspended: false,
          resources: RESOURCES,
          address: 'play.example.test:25565',
          environment: { JAR: 'server.jar', BUILD: '12', ONLINE: '0' },
          usage: { databases: null, backups: null, disk: null },
          portLimit: 2,
          allocations: [
            { id: '7', address: 'play.example.test:25565' },
            { id: '8', address: '192.0.2.10:25566' },
          ],
        },
      });
      expect(asked(sent)).toEqual(['POST /servers?include=allocations,node']);
      expect(sent[0]?.body).toEqual({
        external_id: 'ours-1',
        name: 'Survival',
        description: '',
        user: 5,
        egg: 3,
        docker_image: 'img:1',
        startup: 'java -jar {{JAR}}',
        environment: { JAR: 'server.jar', BUILD: '12' },
        limits: { memory: 1024, swap: 0, disk: 5120, io: 500, cpu: 100 },
        feature_limits: { databases: 1, allocations: 2, backups: 3 },
        allocation: { default: 7, additional: [8] },
        skip_scripts: false,
        start_on_completion: false,
      });
    }
  });

  test('T22 an amount of zero, which is "unlimited" to a panel, is never sent', async () => {
    for (const kind of ['memory', 'disk', 'cpu', 'ports'] as const) {
      const { panel, sent } = world();
      expect(await panel.createServer({ ...SPEC, resources: { ...RESOURCES, [kind]: 0 } })).toEqual({
        outcome: 'refused',
        reason: 'limits',
      });
      expect(
        await panel.setBuild('41', {
          resources: { ...RESOURCES, [kind]: 0 },
          addAllocations: [],
          removeAllocations: [],
        }),
      ).toEqual({ outcome: 'refused', reason: 'limits' });
      expect(sent).toEqual([]);
    }
    expect(await world().panel.createServer({ ...SPEC, resources: { ...RESOURCES, databases: Number.NaN } })).toEqual({
      outcome: 'refused',
      reason: 'limits',
    });
  });

  test('no server is made without a node of our choosing', async () => {
    expect(await world().panel.createServer({ ...SPEC, placement: null })).toEqual({
      outcome: 'refused',
      reason: 'place',
    });
    expect(
      await world().panel.createServer({ ...SPEC, placement: { node: '2', allocation: '7', additional: ['x'] } }),
    ).toEqual({ outcome: 'refused', reason: 'place' });
    expect(await world().panel.createServer({ ...SPEC, userId: 'abc' })).toEqual({
      outcome: 'refused',
      reason: 'user',
    });
  });

  test('T26 an answer about another server than ours is none', async () => {
    expect(await world([{ status: 201, body: serverBody({ external_id: 'other' }) }]).panel.createServer(SPEC)).toEqual(
      { outcome: 'unknown' },
    );
  });

  test('a server is found by our whole id only', async () => {
    const { panel, sent } = world([ok(serverBody())]);
    expect(await panel.findServerByExternalId('ours-1')).toMatchObject({ outcome: 'ok', value: { panelId: '41' } });
    expect(asked(sent)).toEqual(['GET /servers/external/ours-1?include=allocations,node']);
    expect(await world([ok(serverBody({ external_id: 'OURS-1' }))]).panel.findServerByExternalId('ours-1')).toEqual({
      outcome: 'not_found',
    });
    expect(await world([gone]).panel.findServerByExternalId('ours-1')).toEqual({ outcome: 'not_found' });
    expect(await world().panel.findServerByExternalId('a/b')).toEqual({ outcome: 'refused', reason: 'external_id' });
  });

  test.each([
    [{ status: null }, { state: 'ready', suspended: false }],
    [{ status: 'installing' }, { state: 'installing', suspended: false }],
    [{ status: 'install_failed' }, { state: 'install_failed', suspended: false }],
    [{ status: 'reinstall_failed' }, { state: 'reinstall_failed', suspended: false }],
    [{ status: 'restoring_backup' }, { state: 'restoring', suspended: false }],
    [
      { status: 'suspended', suspended: true },
      { state: 'ready', suspended: true },
    ],
    // A word on the container, as Pelican has it.
    [{ status: 'running' }, { state: 'ready', suspended: false }],
    [
      { feature_limits: { databases: null, allocations: null, backups: null } },
      { resources: { ...RESOURCES, ports: 1, databases: 0, backups: 0 } },
    ],
  ])('the state %j is %j', async (change, expected) => {
    expect(await world([ok(serverBody(change))]).panel.readServer('41')).toMatchObject({
      outcome: 'ok',
      value: expected,
    });
  });

  test('players connect to the alias, the address, or the machine of a port on all addresses', async () => {
    const address = async (port: object) => {
      const answer = await world([ok(serverBody({}, [{ id: 7, port: 25_565, ...port }]))]).panel.readServer('41');
      return answer.outcome === 'ok' ? answer.value.address : answer.outcome;
    };
    expect(await address({})).toBe('192.0.2.10:25565');
    expect(await address({ alias: 'mc.example.test' })).toBe('mc.example.test:25565');
    expect(await address({ ip: '0.0.0.0' })).toBe('node.example.test:25565');
    expect(await address({ ip: '2001:db8::1' })).toBe('[2001:db8::1]:25565');
  });

  test('a key that may not see ports leaves them unknown', async () => {
    expect(await world([ok(serverBody({}, null))]).panel.readServer('41')).toMatchObject({
      outcome: 'ok',
      value: { allocations: null, address: null, resources: { ports: 2 } },
    });
  });

  test('the list has a stable order, is counted by pages, and one server that cannot be read spoils its page', async () => {
    const { panel, sent } = world([
      ok(listBody([serverBody()], 1, 2)),
      ok(listBody([serverBody({ id: 42, external_id: null })], 2, 2)),
      ok(listBody([serverBody(), { attributes: {} }])),
    ]);
    expect(await panel.listServers(1)).toMatchObject({
      outcome: 'ok',
      value: { servers: [{ panelId: '41' }], next: 2 },
    });
    expect(await panel.listServers(2)).toMatchObject({
      outcome: 'ok',
      value: { servers: [{ panelId: '42', externalId: null }], next: null },
    });
    expect(await panel.listServers(1)).toEqual({ outcome: 'unavailable' });
    expect(sent[1]?.path).toBe('/api/application/servers?include=allocations,node&sort=id&per_page=200&page=2');
  });
});

describe('servers are changed', () => {
  const build = (addAllocations: string[], removeAllocations: string[], resources = RESOURCES) => ({
    resources,
    addAllocations,
    removeAllocations,
  });

  test('limits and ports are changed in one call, and what the product does not know of stays', async () => {
    const before = serverBody({ limits: { memory: 512, swap: -1, disk: 1, io: 300, cpu: 5, threads: '0' } });
    const { panel, sent } = world([ok(before), ok(serverBody({}, TWO))]);
    expect(await panel.setBuild('41', build(['8'], []))).toMatchObject({
      outcome: 'ok',
      value: { resources: RESOURCES },
    });
    expect(asked(sent)).toEqual([
      'GET /servers/41?include=allocations,node',
      'PATCH /servers/41/build?include=allocations,node',
    ]);
    expect(sent[1]?.body).toEqual({
      allocation: 7,
      limits: { memory: 1024, swap: -1, disk: 5120, io: 300, cpu: 100 },
      feature_limits: { databases: 1, allocations: 2, backups: 3 },
      add_allocations: [8],
      remove_allocations: [],
    });
  });

  test('a port that was passed over in silence is a conflict, and so is one that stayed', async () => {
    expect(await world([ok(serverBody()), ok(serverBody())]).panel.setBuild('41', build(['8'], []))).toEqual({
      outcome: 'conflict',
    });
    expect(
      await world([ok(serverBody({}, TWO)), ok(serverBody({}, TWO))]).panel.setBuild('41', build([], ['8'])),
    ).toEqual({ outcome: 'conflict' });
  });

  test('the default port goes only where another takes its place', async () => {
    const only = world([ok(serverBody())]);
    expect(await only.panel.setBuild('41', build([], ['7']))).toEqual({ outcome: 'refused', reason: 'default_port' });
    expect(only.sent.length).toBe(1);
    const staying = world([ok(serverBody({}, TWO)), ok(serverBody({ allocation: 8 }, [{ id: 8, port: 25_566 }]))]);
    expect((await staying.panel.setBuild('41', build([], ['7']))).outcome).toBe('ok');
    expect(staying.sent[1]?.body).toMatchObject({ allocation: 8, remove_allocations: [7] });
    const added = world([ok(serverBody()), ok(serverBody({ allocation: 9 }, [{ id: 9, port: 25_567 }]))]);
    expect((await added.panel.setBuild('41', build(['9'], ['7']))).outcome).toBe('ok');
    expect(added.sent[1]?.body).toMatchObject({ allocation: 9, add_allocations: [9], remove_allocations: [7] });
  });

  test('T26 a 404 about a part of the change is not "no such server"', async () => {
    for (const dialect of BOTH) {
      expect(
        await world([ok(serverBody()), gone, ok(serverBody())], { dialect }).panel.setBuild('41', build([], [])),
      ).toEqual({ outcome: 'conflict' });
      const startup = { egg: '3', dockerImage: 'i', startup: 's', environment: {} };
      expect(await world([gone, ok(serverBody())], { dialect }).panel.setStartup('41', startup)).toEqual({
        outcome: 'conflict',
      });
      expect(await world([gone, gone], { dialect }).panel.setStartup('41', startup)).toEqual({ outcome: 'not_found' });
    }
  });

  test('details and start are sent whole: what is left out would be blanked', async () => {
    const { panel, sent } = world([ok(serverBody()), ok(serverBody())]);
    await panel.setDetails('41', { name: 'New', description: 'text', externalId: 'ours-1', userId: '5' });
    await panel.setStartup('41', { egg: '3', dockerImage: 'img:2', startup: 'run', environment: { JAR: 'a.jar' } });
    expect(sent.map(({ path, body }) => [path.replace(/\?.*/, ''), body])).toEqual([
      ['/api/application/servers/41/details', { name: 'New', description: 'text', external_id: 'ours-1', user: 5 }],
      [
        '/api/application/servers/41/startup',
        { egg: 3, image: 'img:2', startup: 'run', environment: { JAR: 'a.jar' }, skip_scripts: false },
      ],
    ]);
  });

  test('the panel suspends, unsuspends, reinstalls, deletes, and deletes whatever the machine says', async () => {
    const { panel, sent } = world([], { rest: () => ({ status: 204 }) });
    const answers = [
      await panel.suspend('41'),
      await panel.unsuspend('41'),
      await panel.reinstall('41'),
      await panel.deleteServer('41'),
      await panel.deleteServer('41', true),
    ];
    expect(answers.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(asked(sent)).toEqual([
      'POST /servers/41/suspend',
      'POST /servers/41/unsuspend',
      'POST /servers/41/reinstall',
      'DELETE /servers/41',
      'DELETE /servers/41/force',
    ]);
    expect(await world([gone]).panel.deleteServer('41')).toEqual({ outcome: 'not_found' });
    expect(await world([panelErrors(404, 'DaemonConnectionException')]).panel.suspend('41')).toEqual({
      outcome: 'unknown',
    });
    for (const odd of ['', 'abc', '1/force', '../users/1'])
      expect(await world().panel.deleteServer(odd)).toEqual({ outcome: 'refused', reason: 'id' });
  });
});

describe('live', () => {
  const stats = (state: string) =>
    ok({
      object: 'stats',
      attributes: {
        current_state: state,
        is_suspended: false,
        resources: { memory_bytes: 5, cpu_absolute: 1.5, disk_bytes: 7, uptime: 9 },
      },
    });
  test('usage and power go by the client key', async () => {
    const { panel, sent } = world([stats('running'), { status: 204 }]);
    expect(await panel.usage('b8254f63')).toEqual({
      outcome: 'ok',
      value: { power: 'running', memory: 5, cpu: 1.5, disk: 7, uptime: 9 },
    });
    expect(await panel.power('b8254f63', 'restart')).toEqual({ outcome: 'ok', value: null });
    expect(sent.map(({ method, path, body, headers }) => [method, path, body, headers.get('Authorization')])).toEqual([
      ['GET', '/api/client/servers/b8254f63/resources', null, 'Bearer ptlc_key'],
      ['POST', '/api/client/servers/b8254f63/power', { signal: 'restart' }, 'Bearer ptlc_key'],
    ]);
  });
  test('a machine that does not answer is no failure, and what is not seen is not "gone"', async () => {
    const unknown = { outcome: 'ok', value: { power: 'unknown', memory: 0, cpu: 0, disk: 0, uptime: 0 } } as const;
    expect(await world([panelErrors(504, 'DaemonConnectionException')]).panel.usage('b8254f63')).toEqual(unknown);
    expect(await world([stats('missing')]).panel.usage('b8254f63')).toMatchObject({ value: { power: 'unknown' } });
    expect(await world([gone]).panel.usage('b8254f63')).toEqual({ outcome: 'refused', reason: 'not_visible' });
    expect(await world([panelErrors(409, 'ServerStateConflictException')]).panel.usage('b8254f63')).toEqual({
      outcome: 'refused',
      reason: 'busy',
    });
    expect(await world([panelErrors(504, 'DaemonConnectionException')]).panel.power('b8254f63', 'start')).toEqual({
      outcome: 'unknown',
      away: 'node',
    });
  });
  test('nothing is asked without a client key', async () => {
    const { panel, sent } = world([], { clientKey: null });
    expect([await panel.usage('b8254f63'), await panel.power('b8254f63', 'start')]).toEqual([
      { outcome: 'refused', reason: 'no_client_key' },
      { outcome: 'refused', reason: 'no_client_key' },
    ]);
    expect(await world().panel.usage('../account')).toEqual({ outcome: 'refused', reason: 'id' });
    expect(sent).toEqual([]);
  });
  test('links lead to the panel itself', () => {
    expect(world().panel.links('b8254f63')).toEqual({
      server: 'https://panel.example.test/server/b8254f63',
      password: 'https://panel.example.test/auth/password',
    });
    expect(world([], { dialect: 'pelican' }).panel.links('b8254f63')?.password).toBe(
      'https://panel.example.test/password-reset/request',
    );
  });
});

test('P8 links lead to the public address of a panel that has one', () => {
  const row = { id: 'p', dialect: 'pterodactyl', url: 'http://10.0.0.5', key: 'ptla_key', clientKey: null } as const;
  const deps = world().deps;
  expect(createHttpPanel(deps, { ...row, publicUrl: 'https://play.example.com' }).panel.links('b8254f63')).toEqual({
    server: 'https://play.example.com/server/b8254f63',
    password: 'https://play.example.com/auth/password',
  });
  expect(createHttpPanel(deps, { ...row, publicUrl: null }).panel.links('b8254f63')?.server).toBe(
    'http://10.0.0.5/server/b8254f63',
  );
});

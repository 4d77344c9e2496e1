import { describe, expect, test } from 'bun:test';
import type { PanelServerSpec } from '#server/modules/servers/panel/ports.ts';
import { listBody, panelErrors, serverBody } from '#tests/support/panel-http.ts';
import { DIALECTS, NOT_THERE, okAnswer, panelWorld, pathsOf } from '#tests/support/panel-world.ts';

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
    for (const dialect of DIALECTS) {
      const { panel, sent } = panelWorld(
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
      expect(pathsOf(sent)).toEqual(['POST /servers?include=allocations,node']);
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
      const { panel, sent } = panelWorld();
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
    expect(
      await panelWorld().panel.createServer({ ...SPEC, resources: { ...RESOURCES, databases: Number.NaN } }),
    ).toEqual({
      outcome: 'refused',
      reason: 'limits',
    });
  });

  test('no server is made without a node of our choosing', async () => {
    expect(await panelWorld().panel.createServer({ ...SPEC, placement: null })).toEqual({
      outcome: 'refused',
      reason: 'place',
    });
    expect(
      await panelWorld().panel.createServer({ ...SPEC, placement: { node: '2', allocation: '7', additional: ['x'] } }),
    ).toEqual({ outcome: 'refused', reason: 'place' });
    expect(await panelWorld().panel.createServer({ ...SPEC, userId: 'abc' })).toEqual({
      outcome: 'refused',
      reason: 'user',
    });
  });

  test('T26 an answer about another server than ours is none', async () => {
    expect(
      await panelWorld([{ status: 201, body: serverBody({ external_id: 'other' }) }]).panel.createServer(SPEC),
    ).toEqual({ outcome: 'unknown' });
  });

  test('a server is found by our whole id only', async () => {
    const { panel, sent } = panelWorld([okAnswer(serverBody())]);
    expect(await panel.findServerByExternalId('ours-1')).toMatchObject({ outcome: 'ok', value: { panelId: '41' } });
    expect(pathsOf(sent)).toEqual(['GET /servers/external/ours-1?include=allocations,node']);
    expect(
      await panelWorld([okAnswer(serverBody({ external_id: 'OURS-1' }))]).panel.findServerByExternalId('ours-1'),
    ).toEqual({
      outcome: 'not_found',
    });
    expect(await panelWorld([NOT_THERE]).panel.findServerByExternalId('ours-1')).toEqual({ outcome: 'not_found' });
    expect(await panelWorld().panel.findServerByExternalId('a/b')).toEqual({
      outcome: 'refused',
      reason: 'external_id',
    });
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
    expect(await panelWorld([okAnswer(serverBody(change))]).panel.readServer('41')).toMatchObject({
      outcome: 'ok',
      value: expected,
    });
  });

  test('players connect to the alias, the address, or the machine of a port on all addresses', async () => {
    const address = async (port: object) => {
      const answer = await panelWorld([okAnswer(serverBody({}, [{ id: 7, port: 25_565, ...port }]))]).panel.readServer(
        '41',
      );
      return answer.outcome === 'ok' ? answer.value.address : answer.outcome;
    };
    expect(await address({})).toBe('192.0.2.10:25565');
    expect(await address({ alias: 'mc.example.test' })).toBe('mc.example.test:25565');
    expect(await address({ ip: '0.0.0.0' })).toBe('node.example.test:25565');
    expect(await address({ ip: '2001:db8::1' })).toBe('[2001:db8::1]:25565');
  });

  test('a key that may not see ports leaves them unknown', async () => {
    expect(await panelWorld([okAnswer(serverBody({}, null))]).panel.readServer('41')).toMatchObject({
      outcome: 'ok',
      value: { allocations: null, address: null, resources: { ports: 2 } },
    });
  });

  test('the list has a stable order, is counted by pages, and one server that cannot be read spoils its page', async () => {
    const { panel, sent } = panelWorld([
      okAnswer(listBody([serverBody()], 1, 2)),
      okAnswer(listBody([serverBody({ id: 42, external_id: null })], 2, 2)),
      okAnswer(listBody([serverBody(), { attributes: {} }])),
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
    const { panel, sent } = panelWorld([okAnswer(before), okAnswer(serverBody({}, TWO))]);
    expect(await panel.setBuild('41', build(['8'], []))).toMatchObject({
      outcome: 'ok',
      value: { resources: RESOURCES },
    });
    expect(pathsOf(sent)).toEqual([
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
    expect(
      await panelWorld([okAnswer(serverBody()), okAnswer(serverBody())]).panel.setBuild('41', build(['8'], [])),
    ).toEqual({
      outcome: 'conflict',
    });
    expect(
      await panelWorld([okAnswer(serverBody({}, TWO)), okAnswer(serverBody({}, TWO))]).panel.setBuild(
        '41',
        build([], ['8']),
      ),
    ).toEqual({ outcome: 'conflict' });
  });

  test('the default port goes only where another takes its place', async () => {
    const only = panelWorld([okAnswer(serverBody())]);
    expect(await only.panel.setBuild('41', build([], ['7']))).toEqual({ outcome: 'refused', reason: 'default_port' });
    expect(only.sent.length).toBe(1);
    const staying = panelWorld([
      okAnswer(serverBody({}, TWO)),
      okAnswer(serverBody({ allocation: 8 }, [{ id: 8, port: 25_566 }])),
    ]);
    expect((await staying.panel.setBuild('41', build([], ['7']))).outcome).toBe('ok');
    expect(staying.sent[1]?.body).toMatchObject({ allocation: 8, remove_allocations: [7] });
    const added = panelWorld([
      okAnswer(serverBody()),
      okAnswer(serverBody({ allocation: 9 }, [{ id: 9, port: 25_567 }])),
    ]);
    expect((await added.panel.setBuild('41', build(['9'], ['7']))).outcome).toBe('ok');
    expect(added.sent[1]?.body).toMatchObject({ allocation: 9, add_allocations: [9], remove_allocations: [7] });
  });

  test('T26 a 404 about a part of the change is not "no such server"', async () => {
    for (const dialect of DIALECTS) {
      expect(
        await panelWorld([okAnswer(serverBody()), NOT_THERE, okAnswer(serverBody())], { dialect }).panel.setBuild(
          '41',
          build([], []),
        ),
      ).toEqual({ outcome: 'conflict' });
      const startup = { egg: '3', dockerImage: 'i', startup: 's', environment: {} };
      expect(
        await panelWorld([NOT_THERE, okAnswer(serverBody())], { dialect }).panel.setStartup('41', startup),
      ).toEqual({
        outcome: 'conflict',
      });
      expect(await panelWorld([NOT_THERE, NOT_THERE], { dialect }).panel.setStartup('41', startup)).toEqual({
        outcome: 'not_found',
      });
    }
  });

  test('details and start are sent whole: what is left out would be blanked', async () => {
    const { panel, sent } = panelWorld([okAnswer(serverBody()), okAnswer(serverBody())]);
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
    const { panel, sent } = panelWorld([], { rest: () => ({ status: 204 }) });
    const answers = [
      await panel.suspend('41'),
      await panel.unsuspend('41'),
      await panel.reinstall('41'),
      await panel.deleteServer('41'),
      await panel.deleteServer('41', true),
    ];
    expect(answers.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(pathsOf(sent)).toEqual([
      'POST /servers/41/suspend',
      'POST /servers/41/unsuspend',
      'POST /servers/41/reinstall',
      'DELETE /servers/41',
      'DELETE /servers/41/force',
    ]);
    expect(await panelWorld([NOT_THERE]).panel.deleteServer('41')).toEqual({ outcome: 'not_found' });
    expect(await panelWorld([panelErrors(404, 'DaemonConnectionException')]).panel.suspend('41')).toEqual({
      outcome: 'unknown',
    });
    for (const odd of ['', 'abc', '1/force', '../users/1'])
      expect(await panelWorld().panel.deleteServer(odd)).toEqual({ outcome: 'refused', reason: 'id' });
  });
});

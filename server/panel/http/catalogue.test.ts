import { describe, expect, test } from 'bun:test';
import {
  listBody,
  panelDeps,
  panelErrors,
  scriptedPanel,
  type Scripted,
  type SentCall,
} from '#tests/support/panel-http.ts';
import { createHttpPanel } from './panel.ts';

type Dialect = 'pterodactyl' | 'pelican';
function world(
  rest: (call: SentCall) => Scripted,
  { dialect = 'pterodactyl', clientKey = 'ptlc_key' }: { dialect?: Dialect; clientKey?: string | null } = {},
) {
  const script = scriptedPanel([], rest);
  const deps = panelDeps(script.fetch);
  return {
    ...script,
    deps,
    ...createHttpPanel(deps, { id: 'p1', dialect, url: 'https://panel.example.test', key: 'k', clientKey }),
  };
}
const ok = (body: unknown): Scripted => ({ status: 200, body });
const attributes = (list: readonly object[]) => list.map((each) => ({ object: 'x', attributes: each }));
const NODE = {
  id: 2,
  uuid: 'u',
  public: true,
  name: 'eu-1',
  fqdn: 'eu-1.example.test',
  maintenance_mode: false,
  memory: 65_536,
  memory_overallocate: -1,
  disk: 500_000,
  disk_overallocate: 10,
  daemon_listen: 8080,
  allocated_resources: { memory: 2048, disk: 10_240 },
};
const VARIABLE = {
  id: 1,
  env_variable: 'JAR',
  name: 'Jar',
  description: '',
  default_value: 'server.jar',
  user_viewable: true,
  user_editable: false,
  rules: 'required|regex:/^a|b$/',
};
const EGG = {
  id: 5,
  uuid: 'egg-uuid',
  name: 'Paper',
  description: 'fast',
  docker_image: 'java:21',
  docker_images: { 'Java 21': 'java:21', 'Java 17': 'java:17' },
  startup: 'java -jar {{JAR}}',
};
const withVariables = (egg: object, variables: readonly object[]) => ({
  ...egg,
  relationships: { variables: { object: 'list', data: attributes(variables) } },
});
const page = ({ path }: SentCall) => Number(new URL(path, 'http://x').searchParams.get('page'));

describe('what a panel offers', () => {
  test('lists are read to their last page, each thing once, and half of one is none', async () => {
    const node = (id: number) => attributes([{ ...NODE, id, location_id: 1 }]);
    const whole = world((call) => ok(listBody([...node(1), ...node(page(call) + 1)], page(call), 3)));
    const answer = await whole.catalogue.nodes();
    expect(answer.outcome === 'ok' && answer.value.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(whole.sent.map(({ path }) => path)).toEqual(
      [1, 2, 3].map((each) => `/api/application/nodes?sort=id&per_page=200&page=${each}`),
    );
    const half = world((call) =>
      page(call) === 2 ? panelErrors(404, 'NotFoundHttpException') : ok(listBody(node(1), 1, 3)),
    );
    expect(await half.catalogue.nodes()).toEqual({ outcome: 'unavailable' });
  });

  test('a node is read with its capacity, its location or tags', async () => {
    const expected = {
      id: '2',
      name: 'eu-1',
      fqdn: 'eu-1.example.test',
      public: true,
      maintenance: false,
      memory: 65_536,
      disk: 500_000,
      memoryOverallocate: -1,
      diskOverallocate: 10,
      memoryUsed: 2048,
      diskUsed: 10_240,
    };
    expect(await world(() => ok(listBody(attributes([{ ...NODE, location_id: 4 }])))).catalogue.nodes()).toEqual({
      outcome: 'ok',
      value: [{ ...expected, location: '4', tags: [] }],
    });
    expect(
      await world(() => ok(listBody(attributes([{ ...NODE, tags: ['eu', 'ssd'] }]))), {
        dialect: 'pelican',
      }).catalogue.nodes(),
    ).toEqual({ outcome: 'ok', value: [{ ...expected, location: null, tags: ['eu', 'ssd'] }] });
  });

  test('locations, or the tags of all nodes in their place, are read', async () => {
    const { catalogue } = world(() =>
      ok(
        listBody(
          attributes([
            { id: 1, short: 'eu', long: 'Europe' },
            { id: 2, short: 'us', long: null },
          ]),
        ),
      ),
    );
    expect(await catalogue.locations()).toEqual({
      outcome: 'ok',
      value: [
        { id: '1', name: 'eu', description: 'Europe' },
        { id: '2', name: 'us', description: '' },
      ],
    });
    const tagged = world(
      () =>
        ok(
          listBody(
            attributes([
              { ...NODE, id: 1, tags: ['us', 'eu'] },
              { ...NODE, tags: ['eu'] },
              { ...NODE, id: 3, tags: [] },
            ]),
          ),
        ),
      { dialect: 'pelican' },
    );
    expect(await tagged.catalogue.locations()).toEqual({
      outcome: 'ok',
      value: [
        { id: 'eu', name: 'eu', description: '' },
        { id: 'us', name: 'us', description: '' },
      ],
    });
  });

  test('ports of a node are read', async () => {
    const { catalogue, sent } = world(() =>
      ok(
        listBody(
          attributes([
            { id: 7, ip: '192.0.2.1', alias: '', port: 25_565, notes: null, assigned: true },
            { id: 8, ip: '192.0.2.1', alias: 'mc', port: 25_566, assigned: false },
          ]),
        ),
      ),
    );
    expect(await catalogue.allocations('2')).toEqual({
      outcome: 'ok',
      value: [
        { id: '7', node: '2', ip: '192.0.2.1', alias: null, port: 25_565, assigned: true },
        { id: '8', node: '2', ip: '192.0.2.1', alias: 'mc', port: 25_566, assigned: false },
      ],
    });
    expect(sent[0]?.path).toBe('/api/application/nodes/2/allocations?per_page=5000&page=1');
    expect(await catalogue.allocations('2/../1')).toEqual({ outcome: 'refused', reason: 'id' });
    expect(await world(() => panelErrors(404, 'NotFoundHttpException')).catalogue.allocations('9')).toEqual({
      outcome: 'not_found',
    });
  });

  test('all eggs of all nests are read in one call', async () => {
    const nest = {
      id: 3,
      name: 'Minecraft',
      relationships: {
        eggs: {
          object: 'list',
          data: attributes([
            withVariables(EGG, [VARIABLE]),
            withVariables({ ...EGG, id: 6, docker_images: [], startup: null }, []),
          ]),
        },
      },
    };
    const { catalogue, sent } = world(() => ok(listBody(attributes([nest]))));
    const expected = {
      id: '5',
      nest: { id: '3', name: 'Minecraft' },
      uuid: 'egg-uuid',
      name: 'Paper',
      description: 'fast',
      startup: 'java -jar {{JAR}}',
      dockerImages: [
        { label: 'Java 21', image: 'java:21' },
        { label: 'Java 17', image: 'java:17' },
      ],
      variables: [
        {
          env: 'JAR',
          name: 'Jar',
          description: '',
          defaultValue: 'server.jar',
          rules: 'required|regex:/^a|b$/',
          viewable: true,
          editable: false,
        },
      ],
    };
    expect(await catalogue.eggs()).toEqual({
      outcome: 'ok',
      value: [
        expected,
        { ...expected, id: '6', variables: [], startup: '', dockerImages: [{ label: 'java:21', image: 'java:21' }] },
      ],
    });
    expect(sent.map(({ path }) => path)).toEqual(['/api/application/nests?include=eggs.variables&per_page=100&page=1']);
    const without = {
      id: 3,
      name: 'Minecraft',
      relationships: { eggs: { object: 'null_resource', attributes: null } },
    };
    expect(await world(() => ok(listBody(attributes([without])))).catalogue.eggs()).toEqual({
      outcome: 'refused',
      reason: 'right:eggs',
    });
  });

  test('eggs without nests, rules as a list, and commands by name are read', async () => {
    const egg = withVariables(
      { ...EGG, tags: ['minecraft', 'java'], startup_commands: { Default: 'run it', Other: 'x' }, startup: 'old' },
      [{ ...VARIABLE, rules: ['required', 'string'], default_value: null }],
    );
    const { catalogue, sent } = world(
      () => ok({ object: 'list', data: attributes([egg, withVariables({ ...EGG, id: 6, tags: null }, [])]) }),
      { dialect: 'pelican' },
    );
    expect(await catalogue.eggs()).toMatchObject({
      outcome: 'ok',
      value: [
        {
          id: '5',
          nest: { id: 'minecraft', name: 'minecraft' },
          startup: 'run it',
          variables: [{ rules: 'required|string', defaultValue: '' }],
        },
        { id: '6', nest: { id: '', name: '' } },
      ],
    });
    expect(sent.map(({ path }) => path)).toEqual(['/api/application/eggs?include=variables']);
  });
});

describe('the connection test', () => {
  const lists = { nodes: ok(listBody(attributes([{ id: 12 }]))), nests: ok(listBody(attributes([{ id: 4 }]))) };
  /** A panel whose key lacks some rights, such as `servers write`. */
  const panel =
    (lacking: readonly string[], account: Scripted = ok({ object: 'user', attributes: { id: 1, admin: true } })) =>
    (call: SentCall): Scripted => {
      if (call.path.startsWith('/api/client')) return account;
      const right = call.path.includes('/allocations')
        ? 'allocations'
        : call.path.includes('/eggs')
          ? 'eggs'
          : (/application\/(\w+)/.exec(call.path)?.[1] ?? '');
      if (lacking.includes(`${right} ${call.method === 'GET' ? 'read' : 'write'}`))
        return panelErrors(403, 'AccessDeniedHttpException', 'This action is unauthorized.');
      if (call.method === 'POST')
        return panelErrors(422, 'ValidationException', 'required', { name: 'required', email: 'required' });
      return right === 'nodes' ? lists.nodes : right === 'nests' ? lists.nests : ok(listBody([]));
    };
  const missing = (answer: Awaited<ReturnType<ReturnType<typeof world>['catalogue']['check']>>) =>
    answer.outcome === 'ok'
      ? answer.value.rights.filter(({ granted }) => !granted).map(({ right, level }) => `${right} ${level}`)
      : answer;

  test('all rights are there, and nothing was made', async () => {
    for (const [dialect, count] of [
      ['pterodactyl', 9],
      ['pelican', 7],
    ] as const) {
      const { catalogue, sent } = world(panel([]), { dialect });
      const answer = await catalogue.check();
      expect(answer).toMatchObject({ outcome: 'ok', value: { dialect, clientKey: 'ok' } });
      expect([missing(answer), answer.outcome === 'ok' && answer.value.rights.length]).toEqual([[], count]);
      expect(
        sent.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [method, path, body]),
      ).toEqual([
        ['POST', '/api/application/servers', {}],
        ['POST', '/api/application/users', {}],
      ]);
    }
  });

  test('each missing right is named', async () => {
    for (const right of [
      'servers read',
      'servers write',
      'users read',
      'users write',
      'nodes read',
      'allocations read',
      'locations read',
      'nests read',
      'eggs read',
    ]) {
      expect(missing(await world(panel([right])).catalogue.check())).toEqual([right]);
    }
    const several = ['servers write', 'users read', 'users write', 'eggs read'];
    expect(missing(await world(panel(several), { dialect: 'pelican' }).catalogue.check())).toEqual(several);
  });

  test('a right that there is nothing to try on is not called missing', async () => {
    const { catalogue } = world((call) =>
      /allocations/.test(call.path) ? panelErrors(404, 'NotFoundHttpException') : panel([])(call),
    );
    const answer = await catalogue.check();
    expect(answer.outcome === 'ok' && answer.value.rights.map(({ right }) => right)).not.toContain('allocations');
    expect(missing(answer)).toEqual([]);
  });

  test('a key that is not taken at all, and a panel that does not answer, are named', async () => {
    expect(await world(() => panelErrors(401, 'AuthenticationException')).catalogue.check()).toEqual({
      outcome: 'refused',
      reason: 'key',
    });
    expect(
      await world(() =>
        panelErrors(
          403,
          'AccessDeniedHttpException',
          'This IP address (192.0.2.1) does not have permission to access the API using these credentials.',
        ),
      ).catalogue.check(),
    ).toEqual({ outcome: 'refused', reason: 'key_address' });
    expect(
      await world(() => new Response('<html>', { headers: { 'Content-Type': 'text/html' } })).catalogue.check(),
    ).toEqual({ outcome: 'unavailable' });
  });

  test('the client key is checked: none, one that is not taken, one of somebody who sees their own servers only', async () => {
    const key = async (account: Scripted, clientKey: string | null = 'c') => {
      const answer = await world(panel([], account), { clientKey }).catalogue.check();
      return answer.outcome === 'ok' ? answer.value.clientKey : answer.outcome;
    };
    expect(await key(ok({}), null)).toBe('absent');
    expect(await key(panelErrors(401, 'AuthenticationException'))).toBe('refused');
    expect(await key(ok({ object: 'user', attributes: { id: 3, admin: false } }))).toBe('refused');
    expect(await key(ok({ object: 'user', attributes: { id: 3 } }))).toBe('ok');
  });
});

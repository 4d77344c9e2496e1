import { afterEach, describe, expect, test } from 'bun:test';
import { fakeClock } from '#tests/support/clock.ts';
import { furnish } from '#tests/support/http-panel.ts';
import { openFakePanel, type FakePanel, type FakePanelOptions } from '#tests/support/panels/index.ts';

/**
 * What the recordings do not show: Pelican (panel contract, section 8), races, rate limits, and the fake's own
 * switches.
 */
let fake: FakePanel | null = null;
afterEach(async () => {
  await fake?.close();
  fake = null;
});
interface Errors {
  readonly errors?: readonly {
    readonly code: string;
    readonly meta?: { readonly source_field: string; readonly rule: string };
  }[];
}
interface Item {
  readonly object?: string;
  readonly attributes?: Record<string, unknown>;
  readonly data?: readonly Item[];
}

async function open(options: Partial<FakePanelOptions> & Pick<FakePanelOptions, 'dialect'>) {
  const clock = fakeClock();
  const own = await openFakePanel({ clock, ...options });
  fake = own;
  const facts = furnish(own);
  const user = own.addUser({ externalId: 'user-1' });
  async function ask(method: string, path: string, body?: object, key = own.applicationKey) {
    const headers = {
      Accept: 'application/json',
      Authorization: `Bearer ${key}`,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    };
    const response = await fetch(`${own.url}/api${path.startsWith('/client') ? '' : '/application'}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const read: Errors & Item = text === '' ? {} : JSON.parse(text);
    const failures = (read.errors ?? []).map((each) =>
      each.meta ? `${each.meta.source_field} ${each.meta.rule}` : each.code,
    );
    return {
      status: response.status,
      headers: response.headers,
      failures,
      attributes: read.attributes ?? {},
      data: read.data ?? [],
    };
  }
  const creation = (at: number, more: object = {}) => ({
    external_id: `s${at}`,
    name: 'A',
    user: user.id,
    egg: facts.egg,
    docker_image: facts.image,
    startup: facts.startup,
    environment: { SERVER_JARFILE: 'server.jar' },
    limits: { memory: 512, swap: 0, disk: 512, io: 500, cpu: 50 },
    feature_limits: { databases: 0, allocations: 1, backups: 0 },
    allocation: { default: facts.allocations[at] },
    ...more,
  });
  const create = (at: number, more: object = {}) => ask('POST', '/servers', creation(at, more));
  return { clock, own, user, ask, create, creation, ...facts };
}

describe('the fake panel as Pelican', () => {
  test('there are no locations and no nests, and nothing names them', async () => {
    const { ask, create } = await open({ dialect: 'pelican' });
    expect((await ask('GET', '/locations')).failures).toEqual(['NotFoundHttpException']);
    expect((await ask('GET', '/nests')).failures).toEqual(['NotFoundHttpException']);
    const { attributes } = await create(0);
    expect(Object.keys(attributes)).not.toContain('nest');
    expect(attributes['container']).toMatchObject({
      environment: { SERVER_JARFILE: 'server.jar', MOTD: '', STARTUP: 'java -jar {{SERVER_JARFILE}}' },
    });
    expect(attributes['limits']).toMatchObject({ oom_disabled: true, oom_killer: false });
    expect(Object.keys((await ask('GET', '/nodes/1')).attributes)).not.toContain('location_id');
    expect((await ask('GET', '/eggs?include=variables')).data).toHaveLength(1);
  });

  test('an account has one name of any kind, and is made no administrator', async () => {
    const { ask } = await open({ dialect: 'pelican' });
    const made = await ask('POST', '/users', { email: 'a@example.test', username: 'ab', root_admin: true });
    expect(made).toMatchObject({
      status: 201,
      attributes: { username: 'ab', root_admin: false, is_managed_externally: false, '2fa_enabled': false },
    });
    expect(Object.keys(made.attributes)).not.toContain('first_name');
    expect((await ask('DELETE', '/users/1')).status).toBe(403);
  });

  test('a deploy goes by tags, gives no port where none is asked for, and counts cores', async () => {
    const { ask, creation, own, node } = await open({ dialect: 'pelican' });
    const deploy = (where: object) =>
      ask('POST', '/servers', {
        ...creation(0),
        external_id: null,
        allocation: undefined,
        deploy: { dedicated_ip: false, port_range: [], ...where },
      });
    expect((await deploy({ locations: [1] })).failures).toEqual(['deploy.tags present']);
    expect((await deploy({ tags: ['moon'] })).failures).toEqual(['NoViableNodeException']);
    expect((await deploy({ tags: ['moon', 'fra'] })).attributes).toMatchObject({ node, allocation: null });
    expect((await deploy({ tags: ['fra'], port_range: ['25567'] })).attributes).toMatchObject({ allocation: 3 });
    Object.assign(own.state.nodes.get(node) ?? {}, { cpu: 120 });
    expect((await deploy({ tags: ['fra'] })).failures).toEqual(['NoViableNodeException']);
    const few = await ask('GET', '/nodes/deployable?memory=1&disk=1&cpu=50&tags[]=fra');
    expect({ status: few.status, nodes: few.data.length }).toEqual({ status: 200, nodes: 0 });
    expect((await ask('GET', '/nodes/deployable?memory=1&disk=1&cpu=20&tags[]=fra')).data).toHaveLength(1);
  });

  test('command and image may be left out; absent variables are checked by their defaults and kept empty', async () => {
    const { create, own } = await open({ dialect: 'pelican' });
    const made = await create(0, { docker_image: undefined, startup: undefined, environment: {} });
    expect(made).toMatchObject({
      status: 201,
      attributes: {
        container: { startup_command: 'java -jar {{SERVER_JARFILE}}', image: 'ghcr.io/pterodactyl/yolks:java_21' },
      },
    });
    expect([...(own.state.servers.get(1)?.variables.values() ?? [])]).toEqual(['', '']);
  });

  test('a build without its default port breaks, another port than its own is not found, and the default may go', async () => {
    const { ask, create } = await open({ dialect: 'pelican' });
    await create(0, { allocation: { default: 1, additional: [2] } });
    const build = (more: object) =>
      ask('PATCH', '/servers/1/build?include=allocations', {
        limits: { memory: 1, swap: 0, disk: 1, io: 0, cpu: 1 },
        feature_limits: { databases: 0, allocations: 0, backups: 0 },
        ...more,
      });
    expect((await build({})).status).toBe(500);
    expect((await build({ allocation: 5 })).failures).toEqual(['NotFoundHttpException']);
    expect((await build({ allocation: 1, remove_allocations: [1] })).attributes).toMatchObject({ allocation: 2 });
  });
});

/** Lets nobody go on before so many are there; then everybody, for ever. */
function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let there = 0;
  return () => {
    there += 1;
    if (there === count) resolve();
    return promise;
  };
}

describe('the fake panel', () => {
  for (const dialect of ['pterodactyl', 'pelican'] as const) {
    test(`${dialect}: of six creations with one id at once one is made, the others see a 500, and later ones a 422`, async () => {
      const { create, own } = await open({ dialect, between: barrier(6) });
      const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => create(at, { external_id: 'one' })));
      expect(answers.map((each) => each.status).toSorted()).toEqual([201, 500, 500, 500, 500, 500]);
      expect((await create(7, { external_id: 'ONE' })).failures).toEqual(['external_id unique']);
      expect(own.state.servers.size).toBe(1);
    });

    test(`${dialect}: of six creations with one port at once one is made`, async () => {
      const { create, own } = await open({ dialect, between: barrier(6) });
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, at) => create(at, { allocation: { default: 1 } })),
      );
      expect(answers.map((each) => each.status).toSorted()).toEqual([201, 500, 500, 500, 500, 500]);
      expect((await create(7, { allocation: { default: 1 } })).failures).toEqual(['allocation.default exists']);
      expect(own.state.servers.size).toBe(1);
    });

    test(`${dialect}: of six accounts with one address at once one is made`, async () => {
      const { ask, own } = await open({ dialect, between: barrier(6) });
      const before = own.state.users.size;
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          ask('POST', '/users', { email: 'one@example.test', username: `name${at}`, first_name: 'A', last_name: 'B' }),
        ),
      );
      expect(answers.map((each) => each.status).toSorted()).toEqual([201, 500, 500, 500, 500, 500]);
      expect(own.state.users.size).toBe(before + 1);
    });
  }

  test('capacity is not locked: deploys at once go above it', async () => {
    const { ask, creation, own, node } = await open({ dialect: 'pterodactyl', between: barrier(4), seed: 3 });
    Object.assign(own.state.nodes.get(node) ?? {}, { memory: 1000 });
    const deploy = { locations: [], dedicated_ip: false, port_range: [] };
    const answers = await Promise.all(
      [0, 1, 2, 3].map((at) => ask('POST', '/servers', { ...creation(at), allocation: undefined, deploy })),
    );
    expect(answers.filter((each) => each.status === 201).length).toBeGreaterThan(1);
    expect((await ask('POST', '/servers', { ...creation(9), allocation: undefined, deploy })).failures).toEqual([
      'NoViableNodeException',
    ]);
  });

  test('installations end when the test says, or by the clock, with success or without', async () => {
    const { ask, create, own, clock } = await open({
      dialect: 'pterodactyl',
      installMs: 60_000,
      installFails: (server) => server.externalId === 's1',
    });
    for (const at of [0, 1, 2]) await create(at);
    clock.advance(59_999);
    const statuses = async () => (await ask('GET', '/servers?sort=id')).data.map((each) => each.attributes?.['status']);
    expect(await statuses()).toEqual(['installing', 'installing', 'installing']);
    clock.advance(1);
    expect(await statuses()).toEqual([null, 'install_failed', null]);
    await ask('POST', '/servers/1/reinstall');
    expect(own.finishInstalls(false)).toBe(1);
    expect(await statuses()).toEqual(['reinstall_failed', 'install_failed', null]);
    expect(own.finishInstalls()).toBe(0);
  });

  test('the limit is a minute of the clock for each owner of keys; the host may set it', async () => {
    const { ask, own, clock } = await open({ dialect: 'pterodactyl', rateLimits: { application: 2 } });
    expect((await ask('GET', '/users')).headers.get('x-ratelimit-remaining')).toBe('1');
    expect((await ask('GET', '/users', undefined, own.addKey().token)).status).toBe(200);
    clock.advance(20_000);
    const over = await ask('GET', '/users');
    expect({ status: over.status, after: over.headers.get('retry-after') }).toEqual({ status: 429, after: '40' });
    expect(
      (await ask('GET', '/users', undefined, own.addKey({ userId: own.addUser({ rootAdmin: true }).id }).token)).status,
    ).toBe(200);
    expect((await ask('GET', '/client', undefined, own.clientKey)).status).toBe(200);
    clock.advance(40_000);
    expect([
      (await ask('GET', '/users')).status,
      (await ask('GET', '/users')).status,
      (await ask('GET', '/users')).status,
    ]).toEqual([200, 200, 429]);
    own.forgetLimits();
    expect((await ask('GET', '/users')).status).toBe(200);
  });

  test('faults are for the calls that are named, so many times, and end with heal', async () => {
    const { ask, own } = await open({ dialect: 'pterodactyl' });
    own.fail('tooMany', { call: 'GET /users*', times: 2 });
    const statuses = async (...paths: string[]) => {
      const found: number[] = [];
      for (const path of paths) found.push((await ask('GET', path)).status);
      return found;
    };
    expect(await statuses('/nodes', '/users/1', '/users', '/users')).toEqual([200, 429, 429, 200]);
    own.fail('status', { times: Infinity });
    expect(await statuses('/users', '/nodes')).toEqual([503, 503]);
    own.heal();
    own.failBy(({ method, path }) => (method === 'GET' && path === '/nodes' ? { kind: 'status', status: 502 } : null));
    expect(await statuses('/users', '/nodes')).toEqual([200, 502]);
    own.heal();
    expect(await statuses('/nodes')).toEqual([200]);
    expect(own.asked().slice(0, 2)).toEqual(['GET /nodes', 'GET /users/1']);
  });

  test('the same seed makes the same panel, another seed another', async () => {
    const uuids: (string | undefined)[] = [];
    for (const seed of [7, 7, 8]) {
      const { own } = await open({ dialect: 'pterodactyl', seed });
      uuids.push(own.state.users.get(1)?.uuid);
      await own.close();
    }
    expect(uuids[0]).toBe(uuids[1] ?? '');
    expect(uuids[2]).not.toBe(uuids[0] ?? '');
  });
});

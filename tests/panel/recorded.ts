import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import type { FakePanel } from '#tests/support/panels/index.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { openFakePanel } from '#tests/support/panels/index.ts';

type Tree = Record<string, unknown>;
/** One exchange with the real panel, as it was recorded. */
export interface Recording {
  readonly number: number;
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
  readonly daemonCalls: readonly { readonly method: string; readonly path: string; readonly status: number | string }[];
}
/** What came back from the fake. */
export interface Replayed {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly daemonCalls: readonly string[];
}

/** A GET with a body: the HTTP server of these tests drops it before it can be read, so this one cannot be played. */
const NOT_PLAYED = new Set(['nodes-deployable-body']);
/** The recordings lie beside the repository, never in it; without them the list is empty. */
export function recordings(): Recording[] {
  const folder = process.env['PANEL_TRANSCRIPTS'] ?? resolve(import.meta.dir, '../../../shared/panel/transcripts');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.json$/.test(name))
    .toSorted();
  const all = files.map((name): Recording => ({
    number: Number(name.slice(0, 3)),
    ...JSON.parse(readFileSync(join(folder, name), 'utf8')),
  }));
  return all.filter((each) => !NOT_PLAYED.has(each.name));
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Attributes of a list's items, or of one item. */
function attributes(body: unknown): Tree[] {
  if (!isTree(body)) return [];
  if (Array.isArray(body['data'])) return body['data'].flatMap(attributes);
  return isTree(body['attributes']) ? [body['attributes']] : [];
}
const part = (row: Tree, name: string): Tree[] =>
  isTree(row['relationships']) ? attributes(row['relationships'][name]) : [];

/** A variable that the recordings only show in use: its rules are those the egg is published with. */
const GMOD = [
  ['SRCDS_MAP', 'required|string|max:32', 'gm_flatgrass'],
  ['STEAM_ACC', 'nullable|string|alpha_num|size:32', ''],
  ['SRCDS_APPID', 'required|string|max:20', '4020'],
  ['WORKSHOP_ID', 'nullable|integer', ''],
  ['GAMEMODE', 'required|string', 'sandbox'],
  ['MAX_PLAYERS', 'required|integer|max:128', '32'],
  ['TICKRATE', 'required|integer|max:100', '22'],
  ['LUA_REFRESH', 'required|boolean', '0'],
] as const;

/** Puts into a fake what the real panel held when the recording began, taken from the recordings. */
function furnish(panel: FakePanel, all: readonly Recording[]): void {
  const { state } = panel;
  const bodyOf = (name: string) => all.find((each) => each.name === name)?.response.body;
  const times = { createdMs: state.now(), updatedMs: state.now() };
  panel.addUser({
    username: 'admin2',
    email: 'admin2@example.test',
    firstName: 'Admin2',
    lastName: 'Test',
    rootAdmin: true,
  });
  panel.addUser({ username: 'player', email: 'player@example.test', firstName: 'Player', lastName: 'Test' });
  for (const row of attributes(bodyOf('locations-list')))
    panel.addLocation({ short: String(row['short']), long: String(row['long']) });
  for (const row of attributes(bodyOf('nodes-list'))) {
    panel.addNode({
      name: String(row['name']),
      description: String(row['description']),
      public: row['public'] === true,
      locationId: Number(row['location_id']),
      fqdn: String(row['fqdn']),
      scheme: 'http',
      memory: Number(row['memory']),
      memoryOverallocate: Number(row['memory_overallocate']),
      disk: Number(row['disk']),
      daemonListen: Number(row['daemon_listen']),
      daemon: row['name'] === 'node-down-1' ? 'refused' : 'up',
    });
  }
  for (const [at, node] of attributes(bodyOf('nodes-list-include-allocations-location-servers')).entries()) {
    for (const port of part(node, 'allocations')) {
      panel.addAllocations(at + 1, {
        ip: String(port['ip']),
        alias: typeof port['alias'] === 'string' ? port['alias'] : null,
        ports: [Number(port['port'])],
      });
    }
  }
  // Of the other two nodes only the number of their ports shows, by the ids that come next.
  panel.addAllocations(3, { ip: '192.0.2.30', ports: [25565, 25566, 25567] });
  panel.addAllocations(4, { ip: '192.0.2.40', ports: [25565, 25566, 25567] });
  for (const row of attributes(bodyOf('nests-list')))
    panel.addNest({
      name: String(row['name']),
      author: String(row['author']),
      description: String(row['description']),
    });
  const eggs = [
    ...attributes(bodyOf('eggs-list-include-variables')),
    ...attributes(bodyOf('nest-get-include-eggs')).flatMap((nest) => part(nest, 'eggs')),
  ];
  const features = attributes(bodyOf('client-server-get-short'))[0]?.['egg_features'];
  for (const row of eggs) {
    state.eggs.set(Number(row['id']), {
      id: Number(row['id']),
      uuid: state.uuid(),
      nestId: Number(row['nest']),
      name: String(row['name']),
      author: String(row['author']),
      description: String(row['description']),
      dockerImages: Object.fromEntries(
        Object.entries(isTree(row['docker_images']) ? row['docker_images'] : {}).map(([label, image]) => [
          label,
          String(image),
        ]),
      ),
      startup: String(row['startup']),
      features: Array.isArray(features) ? features.map(String) : null,
      tags: [],
      config: JSON.parse(JSON.stringify(row['config'])),
      script: JSON.parse(JSON.stringify(row['script'])),
      ...times,
      variables: part(row, 'variables').map((each) => ({
        id: Number(each['id']),
        name: String(each['name']),
        description: String(each['description']),
        env: String(each['env_variable']),
        defaultValue: String(each['default_value']),
        viewable: each['user_viewable'] === true,
        editable: each['user_editable'] === true,
        rules: String(each['rules']),
        ...times,
      })),
    });
  }
  state.eggs.set(10, {
    id: 10,
    uuid: state.uuid(),
    nestId: 2,
    name: 'Garrys Mod',
    author: '',
    description: '',
    dockerImages: {},
    startup: '',
    features: null,
    tags: [],
    config: {},
    script: {},
    ...times,
    variables: GMOD.map(([env, rules, defaultValue], at) => ({
      id: 100 + at,
      name: env,
      description: '',
      env,
      defaultValue,
      viewable: true,
      editable: true,
      rules,
      ...times,
    })),
  });
}
/** The keys of the recording, by the words it has in their place. */
function keysOf(panel: FakePanel): Map<string, string> {
  const rw = 3;
  const [read, admin2] = [1, 2];
  const all = [
    'servers',
    'nodes',
    'allocations',
    'users',
    'locations',
    'nests',
    'eggs',
    'database_hosts',
    'server_databases',
  ];
  const rights = (level: number, but: readonly string[] = []) =>
    Object.fromEntries(all.filter((each) => !but.includes(each)).map((each) => [each, level]));
  const key = (facts: Parameters<FakePanel['addKey']>[0]) => panel.addKey(facts).token;
  return new Map([
    ['application key, all permissions', key({ userId: 1 })],
    ['application key, all permissions, second admin', key({ userId: admin2 })],
    ['application key, read only', key({ userId: admin2, rights: rights(read) })],
    ['application key, servers rw only', key({ userId: admin2, rights: { servers: rw } })],
    [
      'application key, no eggs/nests/locations',
      key({ userId: admin2, rights: rights(rw, ['eggs', 'nests', 'locations']) }),
    ],
    ['application key, allowed_ips=203.0.113.5', key({ userId: 1, allowedIps: ['203.0.113.5'] })],
    ['client key of a normal user', key({ kind: 'client', userId: 3 })],
    ['client key of a root admin', key({ kind: 'client', userId: 1 })],
    ['well-formed key that does not exist', `ptla_${'0'.repeat(43)}`],
    ['not a key', 'x'],
  ]);
}

/** Sends a request exactly so; `fetch` would add an `Accept` where the recording has none. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | null,
): Promise<{ status: number; headers: Headers; text: string }> {
  return new Promise((done, failed) => {
    const own = body === null ? headers : { ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
    const asked = request(url, { method, headers: own }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (piece: Buffer) => void parts.push(piece));
      reply.on('end', () => {
        const pairs = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)]);
        done({
          status: reply.statusCode ?? 0,
          headers: new Headers(pairs),
          text: Buffer.concat(parts).toString('utf8'),
        });
      });
    });
    asked.on('error', failed);
    asked.end(body ?? undefined);
  });
}
const read = (text: string): unknown => {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
};
/** Between these the counters of the rate limit and the cache of usage were not emptied. */
const AT_ONCE = new Set([
  'client-power-start-204',
  'client-resources-cached',
  'rate-limit-exceeded-429',
  'rate-limit-other-key-same-user-429',
  'rate-limit-other-user-not-limited',
  'rate-limit-permission-failure-still-counted',
]);
/** Before these, installations had ended. */
const INSTALLED = new Set([
  'server-get-installed',
  'server-get-install-failed',
  'server-get-after-reinstall-was-suspended',
  'server-unsuspend-204-b',
  'server-get-environment-types',
  'server-get-reinstall-failed',
  'client-resources-maintenance-409',
]);
const FAILING = new Set(['svc-if', 'svc-gmod']);

/** Makes the machines behave as they did in a recording. */
function setMachines(panel: FakePanel, each: Recording): void {
  const [first] = each.daemonCalls;
  const status =
    typeof first?.status === 'number' && first.status >= 400 && !each.name.includes('command') ? first.status : null;
  const lost = each.response.status === 504 || /daemon-down|node-update$/.test(each.name);
  for (const node of panel.state.nodes.values())
    node.daemon =
      node.id === 3 || (lost && !each.name.includes('force')) ? 'refused' : status === null ? 'up' : { status };
  if (each.name === 'server-create-daemon-closes-connection') panel.setDaemon(1, 'cuts');
  if (each.name === 'server-force-delete-daemon-down-204') panel.setDaemon(2, 'refused');
}
/** Plays all recordings to a fake, one after the other, as they were made. Out: what came back, by number. */
export async function replay(all: readonly Recording[]): Promise<Map<number, Replayed>> {
  const clock = fakeClock();
  const panel = await openFakePanel({ dialect: 'pterodactyl', clock });
  furnish(panel, all);
  const keys = keysOf(panel);
  /** Names of servers in the recording, and here. */
  const names = new Map<string, string>();
  const out = new Map<number, Replayed>();
  for (const each of all) {
    const { request: asked, response } = each;
    if (!AT_ONCE.has(each.name)) clock.advance(61_000);
    if (INSTALLED.has(each.name))
      panel.finishInstalls(
        (server) => !FAILING.has(server.externalId ?? '') || each.name === 'server-get-environment-types',
      );
    setMachines(panel, each);
    // A deploy picks at random: here what it picked then, if it is one of those it may pick.
    const picked = attributes(response.body)[0]?.['allocation'];
    Object.assign(panel.state.random, {
      pick: (list: readonly { id: number }[]) => list.find((one) => one.id === picked) ?? list[0],
    });
    const key = /^Bearer <(.+)>$/.exec(asked.headers['Authorization'] ?? '')?.[1];
    const headers = {
      ...asked.headers,
      ...(key === undefined ? {} : { Authorization: `Bearer ${keys.get(key) ?? ''}` }),
    };
    if (each.name === 'rate-limit-exceeded-429') {
      await Promise.all(
        Array.from({ length: 239 }, () => send(`${panel.url}${asked.path}`, asked.method, headers, null)),
      );
    }
    let { path } = asked;
    for (const [theirs, ours] of names) path = path.replace(theirs, ours);
    const before = panel.state.daemonCalls.length;
    const body = asked.body === null ? null : typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body);
    const reply = await send(`${panel.url}${path}`, asked.method, headers, body);
    const theirs = attributes(response.body)[0];
    const ours = panel.state.servers.get(Number(theirs?.['id']));
    if (response.status === 201 && ours && asked.path.endsWith('/servers'))
      names.set(String(theirs?.['uuid']), ours.uuid).set(String(theirs?.['identifier']), ours.identifier);
    out.set(each.number, {
      ...reply,
      body: read(reply.text),
      daemonCalls: panel.state.daemonCalls.slice(before).map((call) => `${call.method} ${call.path}`),
    });
  }
  await panel.close();
  return out;
}

/** A body without what cannot be the same twice: uuids, times, addresses of the panel, tokens. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (isTree(value)) {
    const kept = Object.entries(value).map(([name, inner]) => [
      name,
      ['uuid', 'identifier', 'token', 'token_id', 'remote'].includes(name) ? typeof inner : plain(inner),
    ]);
    return Object.fromEntries(kept);
  }
  if (typeof value !== 'string') return value;
  return value
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, '<time>')
    .replace(/(https?|wss?):\/\/127\.0\.0\.1:\d+/g, '<panel>');
}
/**
 * Errors by what tells them apart: code, status, field and rule; the text only where nothing else does (403, contract
 * section 1).
 */
export function errorsOf(body: unknown): unknown {
  if (!isTree(body) || !Array.isArray(body['errors'])) return null;
  return body['errors'].filter(isTree).map((each) => {
    const meta = isTree(each['meta']) ? each['meta'] : {};
    return {
      code: each['code'],
      status: each['status'],
      field: meta['source_field'],
      rule: meta['rule'],
      detail: each['status'] === '403' || each['status'] === '409' ? each['detail'] : undefined,
    };
  });
}

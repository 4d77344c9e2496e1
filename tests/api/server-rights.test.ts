import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { SUBUSER_RIGHTS, type SubuserRight } from '#shared/subusers.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { ROWS } from '#tests/specification/access.ts';
import { SERVER_RIGHTS } from '#tests/specification/server-rights.ts';

// Every endpoint of one server, through the whole pipeline: as its owner, as who works on it with the right, with every
// other right, as a stranger, a guest, from a foreign page. The server is no real one: whoever gets past the question of
// rights is told what its panel does not have, and never that there is no such server or that they may not.
const VERSION = '1.2.3';
const UUID = '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01';
/** Valid input of those that take any: query and body. */
const INPUTS: Readonly<Record<string, { readonly query?: string; readonly body?: unknown }>> = {
  'PATCH /api/servers/:id': {
    body: { name: 'x', description: '', memory: 256, disk: 256, cpu: 5, ports: 1, databases: 0, backups: 0 },
  },
  'DELETE /api/servers/:id': { body: { name: 'another' } },
  'POST /api/servers/:id/renew': { body: { price: 0, expires_at: null } },
  'PUT /api/servers/:id/auto-renew': { body: { on: true } },
  'POST /api/servers/:id/account-code': {},
  'POST /api/servers/:id/account': { body: { code: 'ABCD2345' } },
  'POST /api/servers/:id/subusers': { body: { username: 'nora', rights: ['power'] } },
  'PUT /api/servers/:id/subusers/:user': { body: { rights: ['power'] } },
  'PUT /api/servers/:id/schedules/:schedule': {
    body: {
      name: 'x',
      enabled: true,
      only_online: false,
      timing: { every: 'day', time: '04:00' },
      steps: [{ action: 'restart', command: '', pause_s: 0 }],
    },
  },
  'POST /api/servers/:id/power': { body: { signal: 'start' } },
  'PATCH /api/servers/:id/variables': { body: { variables: {} } },
  'PUT /api/servers/:id/ports/primary': { body: { port: 25_565 } },
  'POST /api/servers/:id/command': { body: { text: 'list' } },
  'GET /api/servers/:id/files/text': { query: 'path=a' },
  'GET /api/servers/:id/files/content': { query: 'path=a' },
  'PUT /api/servers/:id/files/text': { query: `path=a&version=${VERSION}`, body: 'raw' },
  'POST /api/servers/:id/folders': { body: { path: 'a' } },
  'POST /api/servers/:id/files/move': { body: { from: 'a', to: 'b' } },
  'POST /api/servers/:id/files/pack': { body: { paths: ['a'], to: 'a.zip' } },
  'POST /api/servers/:id/files/unpack': { body: { path: 'a.zip', to: 'a' } },
  'POST /api/servers/:id/files/delete': { body: { paths: ['a'] } },
  'PUT /api/servers/:id/file-uploads/:upload': { query: 'path=a&at=0&size=3', body: 'raw' },
  'POST /api/servers/:id/file-bin/restore': { body: { ids: ['x-y'] } },
  'PUT /api/servers/:id/backups/:backup': { body: { name: '' } },
  'POST /api/servers/:id/backups/:backup/restore': { body: { stop: true } },
  'PUT /api/servers/:id/backups/:backup/lock': { body: { locked: true } },
};
/** Answers of a call that did not get past the question of rights, or did not even come to it. */
const SHUT = new Set([
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'BAD_REQUEST',
]);

let h: Harness;
let owner: Person;
let friend: Person;
let stranger: Person;
let id: string;
/** Of the friend, for servers. */
let token: string;
/** Staff: each with one of the two permissions, all but one of them, neither, and all. */
const STAFF = {} as Record<'list' | 'edit' | 'allButList' | 'allButEdit' | 'neither' | 'root', Person>;
/** Of staff with every right, for all that tokens may do. */
let staffToken: string;

beforeAll(async () => {
  h = await openHarness({ sample: true });
  owner = await h.person('mara');
  friend = await h.person('vlad');
  stranger = await h.person('nora');
  const { locations, categories } = await owner.api.servers.options();
  const [egg] = categories.flatMap(({ eggs, id: category }) =>
    eggs.map((each) => ({ ...each, category_id: category })),
  );
  if (!egg || !locations[0]) throw new Error('no sample data');
  ({ id } = await owner.api.servers.create({
    body: {
      name: 'Lanternwood',
      description: '',
      location_id: locations[0].id,
      category_id: egg.category_id,
      egg_id: egg.id,
      memory: egg.min_memory,
      disk: egg.min_disk,
      cpu: egg.min_cpu,
      ports: 1,
      databases: 0,
      backups: 0,
      variables: Object.fromEntries(egg.variables.map(({ env, default_value: value }) => [env, value])),
      auto_renew: false,
    },
  }));
  await h.drainJobs();
  ({ token } = await h.host.services.apiTokens.operator.create(friend.username, {
    name: 'Bot',
    scopes: ['servers:read', 'servers:write'],
    expires_in_days: null,
    addresses: '',
  }));
  const [list, edit] = ['admin.servers.list', 'admin.servers.edit'] as const;
  const all = PERMISSIONS.map(({ value }) => value).filter((value) => value !== 'admin.root');
  const without = (...left: readonly Permission[]) => all.filter((value) => !left.includes(value));
  STAFF.list = await h.person('lister', { permissions: [list] });
  STAFF.edit = await h.person('editor', { permissions: [edit] });
  STAFF.allButList = await h.person('all-but-list', { permissions: without(list) });
  STAFF.allButEdit = await h.person('all-but-edit', { permissions: without(edit) });
  STAFF.neither = await h.person('neither', { permissions: without(list, edit) });
  STAFF.root = await h.person('root', { permissions: ['admin.root'] });
  ({ token: staffToken } = await h.host.services.apiTokens.operator.create(STAFF.root.username, {
    name: 'Bot',
    scopes: ['servers:read', 'servers:write', 'admin.servers:read', 'admin.servers:write'],
    expires_in_days: null,
    addresses: '',
  }));
});
afterAll(() => h.close());
// Each call is answered by itself: the limits of commands are tested elsewhere.
beforeEach(() => h.clock.advance(3_600_000));

const share = (rights: readonly SubuserRight[] | null) =>
  h.db.uow.run(async (tx) => {
    await tx.subusers.end(id, friend.id, 1);
    if (rights) await tx.subusers.add({ serverId: id, userId: friend.id, rights, createdMs: 1 });
  });

async function answerOf(
  endpoint: string,
  caller: Person | { readonly token: string } | null,
  { origin = 'http://127.0.0.1', server = id } = {},
): Promise<string> {
  const [method = '', path = ''] = endpoint.split(' ');
  const { query = '', body } = INPUTS[endpoint] ?? {};
  const url = path
    .replace(':id', server)
    .replace(':user', UUID)
    .replace(':upload', UUID)
    .replace(/:backup|:schedule/, UUID);
  const raw = body === 'raw';
  const left = new AbortController();
  const response = await h.http(`${url}${query === '' ? '' : `?${query}`}`, {
    method,
    signal: left.signal,
    headers: {
      ...(caller === null
        ? { Origin: origin }
        : 'token' in caller
          ? { Authorization: `Bearer ${caller.token}` }
          : { Cookie: `${SESSION_COOKIE}=${caller.secret}`, Origin: origin }),
      ...(body === undefined ? {} : { 'Content-Type': raw ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: raw ? 'abc' : JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { error_code?: string };
  left.abort();
  return answer.error_code ?? 'ok';
}

const EACH = Object.entries(SERVER_RIGHTS);

describe('T24 T61 who may do what on one server', () => {
  test('the endpoints of one server are exactly those written down by hand', () => {
    const declared = ENDPOINTS.filter(({ path }) => /^\/api\/(?:shared-)?servers\/:id(?:\/|$)/.test(path));
    expect(declared.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(SERVER_RIGHTS).sort());
  });

  test.each(EACH)('%s takes the right %s, and no other one', async (endpoint, needed) => {
    const isOwners = needed === 'owner';
    const toOwner = await answerOf(endpoint, owner);
    if (needed === 'subuser') expect(toOwner).toBe('NOT_FOUND');
    // Of a sub-user that nobody knows, the owner is told that there is none.
    else if (!endpoint.includes(':user')) expect(SHUT.has(toOwner)).toBe(false);

    const granted = isOwners
      ? [...SUBUSER_RIGHTS]
      : needed === 'any' || needed === 'subuser'
        ? ['power' as const]
        : [needed];
    if (!endpoint.startsWith('DELETE /api/shared')) {
      await share(granted);
      const toFriend = await answerOf(endpoint, friend);
      if (isOwners) expect(toFriend).toBe('NOT_FOUND');
      else expect(SHUT.has(toFriend)).toBe(false);
    }

    await share(SUBUSER_RIGHTS.filter((right) => right !== needed));
    const withOthers = await answerOf(endpoint, friend);
    if (isOwners) expect(withOthers).toBe('NOT_FOUND');
    else if (needed === 'any' || needed === 'subuser') expect(SHUT.has(withOthers)).toBe(false);
    else expect(withOthers).toBe('FORBIDDEN');

    await share(null);
    expect(await answerOf(endpoint, friend)).toBe('NOT_FOUND');
    // Word for word what is said of a server that does not exist.
    expect(await answerOf(endpoint, stranger)).toBe('NOT_FOUND');
    expect(await answerOf(endpoint, owner, { server: UUID })).toBe('NOT_FOUND');
    expect(await answerOf(endpoint, null)).toBe('UNAUTHENTICATED');
    if (!endpoint.startsWith('GET')) {
      await share([...SUBUSER_RIGHTS]);
      expect(await answerOf(endpoint, friend, { origin: 'https://evil.example' })).toBe('ORIGIN_REFUSED');
      expect(await h.db.uow.read((tx) => tx.subusers.findRights(id, friend.id))).not.toBeNull();
    }
  });

  test.each(EACH)(
    '%s takes of staff the permission that is written down, and no other one',
    async (endpoint, needed) => {
      await share(null);
      const row = ROWS.find(({ method, path }) => `${method} ${path}` === endpoint);
      const permission = row?.guards.find((guard) => guard.startsWith('staff:'))?.slice('staff:admin.servers.'.length);
      if (permission !== 'list' && permission !== 'edit') {
        // The owner’s own, and what ends the sharing.
        expect(needed === 'owner' || endpoint.startsWith('DELETE /api/shared')).toBe(true);
        for (const staff of Object.values(STAFF)) expect(await answerOf(endpoint, staff)).toBe('NOT_FOUND');
        return;
      }
      const [others, exact] = permission === 'list' ? [STAFF.allButList, STAFF.list] : [STAFF.allButEdit, STAFF.edit];
      expect(await answerOf(endpoint, STAFF.neither)).toBe('NOT_FOUND');
      expect(await answerOf(endpoint, others)).toBe('FORBIDDEN');
      for (const allowed of [exact, STAFF.root]) {
        const answer = await answerOf(endpoint, allowed);
        // What is imitated has no console and no files: there is no page of it for staff.
        if (needed === 'subuser') expect(answer).toBe('NOT_FOUND');
        else expect(SHUT.has(answer)).toBe(false);
        expect(await answerOf(endpoint, allowed, { server: UUID })).toBe('NOT_FOUND');
      }
      // As a person, and by no token.
      expect(['NOT_FOUND', 'TOKEN_SCOPE_MISSING']).toContain(await answerOf(endpoint, { token: staffToken }));
      if (!endpoint.startsWith('GET'))
        expect(await answerOf(endpoint, exact, { origin: 'https://evil.example' })).toBe('ORIGIN_REFUSED');
    },
  );

  test.each(EACH)(
    '%s lets a token of who works on it do what the account may, where tokens are let in',
    async (endpoint, needed) => {
      await share(null);
      const outside = await answerOf(endpoint, { token });
      expect(['NOT_FOUND', 'TOKEN_SCOPE_MISSING']).toContain(outside);
      if (needed === 'owner' || endpoint.startsWith('DELETE /api/shared')) return;
      await share([...SUBUSER_RIGHTS]);
      const inside = await answerOf(endpoint, { token });
      expect(inside === 'TOKEN_SCOPE_MISSING').toBe(outside === 'TOKEN_SCOPE_MISSING');
      if (inside !== 'TOKEN_SCOPE_MISSING') expect(SHUT.has(inside)).toBe(false);
    },
  );
});

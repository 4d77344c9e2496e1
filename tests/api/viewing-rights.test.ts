import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { PERMISSIONS } from '#shared/permissions.ts';
import { ROWS, type Row } from '#tests/specification/access.ts';
import { OPEN_TO_VIEWING } from '#tests/specification/viewing-access.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: every endpoint is called by an owner who views as somebody with every right but theirs.

const ID = '01890000-0000-7000-8000-000000000000';
const PASSED = new Set([200, 302, 404, 409, 410, 422]);
const nameOf = ({ method, path }: Row) => `${method} ${path}`;
const isOpen = (row: Row) => OPEN_TO_VIEWING.includes(nameOf(row));
const rows = (wanted: (row: Row) => boolean) => ROWS.filter(wanted).map((row): [string, Row] => [nameOf(row), row]);

let h: Harness;
let owner: Person;
let viewed: Person;
beforeAll(async () => {
  h = await openHarness();
  owner = await h.person('owner', { permissions: ['admin.root'] });
  // Somebody of every right, of a lower rank: what a viewing must not lend.
  const permissions = PERMISSIONS.map(({ value }) => value).filter((value) => value !== 'admin.root');
  viewed = await h.person('viewed', { permissions, credits: 500 });
  await h.db.sql("UPDATE roles SET rank = 99 WHERE name = 'role-owner'");
});
afterAll(() => h.close());

let asked = 0;
async function answerOf(row: Row, secret: string | null) {
  const endpoint = ENDPOINTS.find(({ method, path }) => method === row.method && path === row.path);
  if (!endpoint) throw new Error(`${nameOf(row)} is written down, but not there`);
  const params = Object.fromEntries([...row.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID]));
  asked += 1;
  const response = await h.http(endpointUrl(endpoint, { params }), {
    method: row.method,
    headers: {
      Origin: 'http://127.0.0.1',
      'X-Forwarded-For': `203.0.${asked >> 8}.${asked & 255}`,
      ...(secret === null ? {} : { Cookie: `__Host-spawnpoint=${secret}` }),
      ...(endpoint.body ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(endpoint.body ? { body: '{}' } : {}),
  });
  if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, body: 'a stream' };
  }
  return {
    status: response.status,
    body: (await response.text()).replace(/"(?:request_id|challenge)":"[^"]*"/g, ''),
  };
}
/** Views as the other one, from a fresh session of the owner. */
async function viewingSecret(): Promise<string> {
  const { identity, clock } = h.host.services;
  const { secret, sessionId } = await identity.openSession(owner.id, { address: '198.51.100.9', userAgent: 'Firefox' });
  await h.db.sql('UPDATE sessions SET viewed_user_id = ?, viewing_until_ms = ? WHERE id = ?', [
    viewed.id,
    clock.now() + 60_000,
    sessionId,
  ]);
  return secret;
}
const REFUSED = { status: 403, body: expect.stringContaining('"error_code":"VIEWING_READ_ONLY"') };

describe('T39 a session that views as somebody', () => {
  let shared: string;
  beforeAll(async () => {
    shared = await viewingSecret();
  });

  test('T39 T61 what it may call is written down by hand, and changes nothing but its own end', () => {
    const names = ROWS.map(nameOf);
    expect(OPEN_TO_VIEWING.filter((name) => !names.includes(name))).toEqual([]);
    expect(OPEN_TO_VIEWING.filter((name) => !name.startsWith('GET '))).toEqual([
      'POST /api/view-as/end',
      'POST /api/auth/logout',
    ]);
    const shut =
      /^GET \/api\/(admin|account|auth\/(2fa|sso)|notifications|payments|gifts|webhooks|earn\/(redeem|links|referrals|j4r))/;
    expect(OPEN_TO_VIEWING.filter((name) => shut.test(name))).toEqual([]);
  });

  test.each(
    rows((row) => !isOpen(row) && !row.guards.includes('hook') && (row.access !== 'open' || row.method !== 'GET')),
  )('T39 %s is shut to who views as somebody', async (_, row) => {
    expect(await answerOf(row, shared)).toEqual(REFUSED);
  });

  test.each(rows((row) => !isOpen(row) && row.access === 'open' && row.method === 'GET'))(
    'T39 %s answers who views as somebody like a guest',
    async (_, row) => {
      expect(await answerOf(row, shared)).toEqual(await answerOf(row, null));
    },
  );

  test('T39 whatever it reads, no table changes: nothing is counted, marked as read or remembered', async () => {
    const tables = await h.db.sql<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    );
    const everything = async () => {
      const rows: Record<string, unknown> = {};
      for (const { name } of tables) rows[name] = await h.db.sql(`SELECT * FROM ${name}`);
      return rows;
    };
    const before = await everything();
    for (const [, row] of rows((each) => each.method === 'GET')) await answerOf(row, shared);
    expect(await everything()).toEqual(before);
    expect(tables.length).toBeGreaterThan(60);
  });

  test.each(rows(isOpen))('T39 %s is open to who views as somebody', async (_, row) => {
    const answer = await answerOf(row, row.method === 'GET' ? shared : await viewingSecret());
    expect({ ...answer, passed: PASSED.has(answer.status) }).toEqual({ ...answer, passed: true });
    expect(answer.body).not.toContain('VIEWING_READ_ONLY');
    // What is open to anybody would answer a guest likewise.
    if (row.method === 'GET') expect(answer.body).not.toBe((await answerOf(row, null)).body);
  });
});

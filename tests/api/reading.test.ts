import { afterAll, beforeAll, expect, test } from 'bun:test';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

const ID = '01890000-0000-7000-8000-000000000000';
let h: Harness;
let owner: Person;
beforeAll(async () => {
  h = await openHarness({ sample: true });
  owner = await h.person('owner', { permissions: ['admin.root'], credits: 500 });
});
afterAll(() => h.close());

async function everything(): Promise<Record<string, unknown[]>> {
  const tables = await h.db.sql<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const rows: Record<string, unknown[]> = {};
  for (const { name } of tables) rows[name] = await h.db.sql(`SELECT * FROM ${name}`);
  return rows;
}
async function read(path: string): Promise<number> {
  const response = await h.http(path, { headers: { Cookie: `__Host-spawnpoint=${owner.secret}` } });
  await (response.headers.get('content-type')?.startsWith('text/event-stream')
    ? response.body?.cancel()
    : response.bytes());
  return response.status;
}

test('T37 nothing that is asked for by GET changes anything, whatever rights one has', async () => {
  const paths = ENDPOINTS.filter(({ method }) => method === 'GET').map((endpoint) => {
    const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID]));
    return endpointUrl(endpoint, { params });
  });
  expect(paths.length).toBeGreaterThan(80);
  // The first call notes that the session is in use; the key of this installation for browser push is made once.
  await read('/api/account');
  await read('/api/account/notifications');
  const before = await everything();
  const statuses = await Promise.all(paths.map(read));
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  const after = await everything();
  const { audit = [] } = after;
  // Who took a list of users, servers or payments away is noted, as nothing else that is read.
  expect(audit.slice(0, before.audit?.length)).toEqual(before.audit ?? []);
  const exports = ['payments.export', 'server_queue.export', 'servers.export', 'users.export'];
  const noted = audit.slice(before.audit?.length);
  expect(noted).toHaveLength(exports.length);
  expect(noted).toEqual(
    expect.arrayContaining(exports.map((action) => expect.objectContaining({ action, actor_id: owner.id }))),
  );
  after.audit = before.audit ?? [];
  expect(after).toEqual(before);
});

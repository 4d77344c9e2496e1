import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { ROWS, type Row } from '#tests/specification/access.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.11: every command is sent with the session of an owner from a network that it is not bound to.

const ID = '01890000-0000-7000-8000-000000000000';
/** Typed by hand: what a session that is not trusted may still do is show who sits there, and end what it does. */
const OPEN: readonly string[] = [
  'POST /api/auth/confirm',
  'POST /api/auth/confirm/passkey/options',
  'POST /api/auth/confirm/passkey',
  'POST /api/view-as/end',
];
const nameOf = ({ method, path }: Row) => `${method} ${path}`;
const commands = (wanted: (row: Row) => boolean) =>
  ROWS.filter((row) => row.access !== 'open' && row.method !== 'GET' && wanted(row)).map((row): [string, Row] => [
    nameOf(row),
    row,
  ]);

let h: Harness;
/** Several, so that nobody comes near their rate limits. */
const owners: Person[] = [];
beforeAll(async () => {
  h = await openHarness();
  for (const name of ['owner1', 'owner2', 'owner3', 'owner4'])
    owners.push(await h.person(name, { permissions: ['admin.root'] }));
  await h.set({ zero_trust_enabled: true });
});
afterAll(() => h.close());

let asked = 0;
async function answerOf(row: Row) {
  const endpoint = ENDPOINTS.find(({ method, path }) => method === row.method && path === row.path);
  if (!endpoint) throw new Error(`${nameOf(row)} is written down, but not there`);
  const params = Object.fromEntries([...row.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID]));
  asked += 1;
  const response = await h.http(endpointUrl(endpoint, { params }), {
    method: row.method,
    headers: {
      Origin: 'http://127.0.0.1',
      'X-Forwarded-For': `192.0.${asked >> 8}.${asked & 255}`,
      Cookie: `__Host-spawnpoint=${owners[asked % owners.length]?.secret}`,
      ...(endpoint.body ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(endpoint.body ? { body: '{}' } : {}),
  });
  const { error_code: code } = (await response.json()) as { error_code: string | null };
  return code;
}

describe('T35 a session that is not trusted', () => {
  test.each(commands((row) => !OPEN.includes(nameOf(row))))('T35 %s waits for a confirmation', async (_, row) => {
    expect(await answerOf(row)).toBe('TRUST_REQUIRED');
  });

  test.each(commands((row) => OPEN.includes(nameOf(row))))('T35 %s needs no confirmation', async (_, row) => {
    expect(await answerOf(row)).not.toBe('TRUST_REQUIRED');
  });
});

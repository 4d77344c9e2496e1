import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { blockOf } from '#server/modules/identity/index.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { MINUTE } from '#shared/time.ts';
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
  await h.set({ zero_trust_enabled: true, image_hosting_enabled: true });
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

/** Typed by hand: commands of staff that harm nobody. */
const HARMLESS: readonly string[] = [
  'POST /api/admin/users/:id/notes',
  'DELETE /api/admin/users/:id/notes/:note',
  'POST /api/admin/servers/reconcile',
];

describe('T35 staff who have not shown for a quarter of an hour who they are', () => {
  const DEVICE = 'd'.repeat(43);
  const bound: Person[] = [];
  /** Who is no staff, and as late. */
  let player: Person;
  beforeAll(async () => {
    player = await h.person('player');
    for (const name of ['late1', 'late2', 'late3', 'late4', player.username]) {
      const person = name === player.username ? player : await h.person(name, { permissions: ['admin.root'] });
      const { sessionId = '' } = (await h.host.services.identity.resolve(person.secret))?.actor ?? {};
      const device = createHash('sha256').update(DEVICE).digest('hex');
      await h.db.uow.run((tx) => tx.identity.bindSession(sessionId, { device, network: blockOf(ADDRESS) }));
      if (person !== player) bound.push(person);
    }
    h.clock.advance(15 * MINUTE);
  });
  const ADDRESS = '198.51.100.7';
  let sent = 0;
  const codeOf = async (row: Row, by = bound[sent % bound.length]) => {
    const params = Object.fromEntries([...row.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', ID]));
    sent += 1;
    const response = await h.http(endpointUrl({ path: row.path }, { params }), {
      method: row.method,
      headers: {
        Origin: 'http://127.0.0.1',
        'X-Forwarded-For': ADDRESS,
        Cookie: `__Host-spawnpoint=${by?.secret}; __Host-spawnpoint-device=${DEVICE}`,
        'Content-Type': 'application/json',
      },
      body: '{}',
    });
    return ((await response.json()) as { error_code: string | null }).error_code;
  };
  const isOnUsers = ({ guards }: Row) => guards.some((guard) => guard.startsWith('staff:'));
  const ofStaff = commands((row) => row.access.startsWith('admin.') || isOnUsers(row));

  test('T35 settings, and every other command of staff that may do harm, wait for a confirmation', async () => {
    const answers = new Map<string, string | null>();
    for (const [name, row] of ofStaff) answers.set(name, await codeOf(row));
    const asks = [...answers].filter(([, code]) => code === 'TRUST_REQUIRED').map(([name]) => name);
    const wanted = ofStaff.map(([name]) => name).filter((name) => !HARMLESS.includes(name));
    expect(asks).toEqual(wanted);
    expect(asks).toContain('PATCH /api/admin/settings');
    expect(asks).toContain('POST /api/servers/:id/command');
  });

  test('T35 players are not asked where staff are, on what may be their own', async () => {
    const shared = commands(isOnUsers);
    expect(shared.length).toBeGreaterThan(10);
    const answers = [];
    for (const [, row] of shared) answers.push(await codeOf(row, player));
    expect(answers).not.toContain('TRUST_REQUIRED');
  });
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { userTokenCommand } from './user-token.ts';

let h: Harness;
let ann: Person;
let out: string[];
let err: string[];
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  [out, err] = [[], []];
});
afterEach(() => h.close());

const output = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
const run = (...argv: string[]) => userTokenCommand(h.host.services, argv, output);
const create = (...more: string[]) =>
  run('create', '--username', 'ann', '--name', 'Nightly script', '--scopes', 'servers:read,account:read', ...more);
const userOf = async (token: string) => (await h.host.services.apiTokens.resolve(token, '203.0.113.7'))?.userId;

test('T35 the command makes a token, prints it alone, lists it without it, and revokes it', async () => {
  expect(await create('--days', '30', '--addresses', '203.0.113.0/24')).toBe(0);
  const [token = ''] = out;
  expect([out.length, await userOf(token)]).toEqual([1, ann.id]);
  out = [];
  expect(await run('list', '--username', 'ann@example.com')).toBe(0);
  const [id = '', ...shown] = out[0]?.split('\t') ?? [];
  expect(shown).toEqual([
    'Nightly script',
    `…${token.slice(-4)}`,
    'account:read servers:read',
    'until 2026-04-09T12:00:00.000Z',
    'used 2026-03-10T12:00:00.000Z from 203.0.113.7',
  ]);
  expect(await run('revoke', '--username', 'ann', '--id', id)).toBe(0);
  expect(await userOf(token)).toBeUndefined();
  expect(await run('revoke', '--username', 'ann', '--id', id)).toBe(1);
  expect(err.at(-1)).toBe('ann: NOT_FOUND');
});

test('the command revokes all tokens of one account and of no other', async () => {
  const bob = await h.person('bob');
  await create();
  await create();
  out = [];
  await run('create', '--username', 'bob', '--name', 'B', '--scopes', 'account:read');
  const [token = ''] = out;
  expect(await run('revoke', '--username', 'ann', '--all')).toBe(0);
  expect(out.at(-1)).toStartWith('Revoked 2 of ann.');
  expect(await userOf(token)).toBe(bob.id);
});

test('T40 the command says what is wrong and makes nothing, above all no right that the account lacks', async () => {
  expect(await run('create', '--username', 'ann', '--name', 'X', '--scopes', 'admin.users:write')).toBe(1);
  expect(err).toEqual(['scopes: NOT_ALLOWED']);
  err = [];
  expect(await run('create', '--username', 'ann', '--name', 'X', '--scopes', 'everything')).toBe(1);
  expect(await create('--days', 'soon')).toBe(1);
  expect(await create('--addresses', 'here')).toBe(1);
  expect(err).toEqual(['scopes.0: UNKNOWN', 'expires_in_days: NOT_WHOLE', 'addresses: INVALID']);
  expect(await run('list', '--username', 'nobody')).toBe(1);
  for (const wrong of [
    [],
    ['constructor', '--username', 'ann'],
    ['list'],
    ['list', '--username'],
    ['list', '--username', 'ann', '--username', 'bob'],
    ['create', '--username', 'ann', '--name', 'X'],
    ['create', '--username', 'ann', '--name', 'X', '--scopes', 'account:read', '--id', 'x'],
    ['revoke', '--username', 'ann'],
    ['revoke', '--username', 'ann', '--id', 'x', '--all'],
  ])
    expect(await run(...wrong)).toBe(2);
  expect(await h.db.sql('SELECT id FROM api_tokens')).toEqual([]);
});

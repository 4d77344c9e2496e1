import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openHarness, PASSWORD, type Harness } from '#tests/support/harness.ts';
import { createUserCommand, factorOffCommand, type Terminal } from './user.ts';

let h: Harness;
let said: string[];
beforeEach(async () => {
  h = await openHarness();
  said = [];
});
afterEach(() => h.close());

const terminal = (password: string | null): Terminal => ({
  out: (line) => void said.push(line),
  err: (line) => void said.push(line),
  ask: () => Promise.resolve(password),
  stdin: () => Promise.resolve(`${password ?? ''}\n`),
});
const run = (text: string, password: string | null = PASSWORD) =>
  createUserCommand(h.host.services, text.split(' ').filter(Boolean), terminal(password));
const users = () =>
  h.db.sql('SELECT u.username, u.first_name, r.key FROM users u JOIN roles r ON r.id = u.role_id ORDER BY u.username');

test('T38 the command makes an owner, after which no set-up link is good', async () => {
  expect(await run('create --username mirela --email m@mail.example --role owner --first-name Mirela')).toBe(0);
  expect(await users()).toEqual([{ username: 'mirela', first_name: 'Mirela', key: 'owner' }]);
  expect(await h.host.setupToken()).toBeNull();
  expect(said).toEqual(['Created mirela (owner).']);
});

test('the command takes the password from standard input or asks for it, and makes a member when no role is named', async () => {
  expect(await run('create --username mirela --email m@mail.example --password-stdin')).toBe(0);
  expect(await users()).toEqual([{ username: 'mirela', first_name: 'mirela', key: 'member' }]);
  const login = await h.http('/api/auth/login', {
    method: 'POST',
    body: JSON.stringify({ login: 'mirela', password: PASSWORD }),
    headers: { 'content-type': 'application/json', origin: 'http://127.0.0.1' },
  });
  expect(login.status).toBe(200);
});

test('the command says what is wrong, and makes nobody', async () => {
  await run('create --username taken --email t@mail.example');
  said = [];
  expect(await run('create --username TAKEN --email T@mail.example')).toBe(1);
  expect(said).toEqual(['username: USERNAME_TAKEN', 'email: EMAIL_TAKEN']);
  expect(await run('create --username mirela --email nonsense', 'short')).toBe(1);
  expect(await run('create --username mirela --email m@mail.example --role root')).toBe(1);
  expect(await run('create --username mirela --email m@mail.example', null)).toBe(2);
  for (const wrong of [
    '',
    'create',
    'create --username mirela',
    'remove --username mirela --email m@mail.example',
    'create --username mirela --email m@mail.example --password x',
    'create --username a --username b --email m@mail.example',
  ]) {
    expect(await run(wrong)).toBe(2);
  }
  expect(await users()).toHaveLength(1);
});

test('T32 the command takes away the second factor of somebody who lost everything', async () => {
  const off = (text: string) => factorOffCommand(h.host.services, text.split(' ').filter(Boolean), terminal(null));
  await run('create --username mirela --email m@mail.example');
  const [user] = await h.db.sql<{ id: string }>('SELECT id FROM users');
  const row = {
    userId: user?.id ?? '',
    secret: 'x',
    enabledMs: 1,
    lastStep: 0,
    pending: null,
    pendingMs: null,
    pendingSession: null,
  };
  await h.db.uow.run((tx) => tx.factors.save(row));
  said = [];
  expect([await off('--username nobody'), await off('--name mirela'), await off('--username')]).toEqual([1, 2, 2]);
  expect(said[0]).toBe('nobody: NOT_FOUND');
  expect(await h.db.sql('SELECT user_id FROM second_factors')).toHaveLength(1);
  expect(await off('--username mirela')).toBe(0);
  expect(await h.db.sql('SELECT user_id FROM second_factors')).toHaveLength(0);
  expect(await off('--username mirela')).toBe(1);
  expect(said.at(-1)).toBe('mirela: TWO_FACTOR_OFF');
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { iso, DAY } from '#shared/time.ts';
import { openBrowser } from '#tests/support/browser.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import type { Terminal } from './user.ts';
import { userStandingCommand } from './user-standing.ts';

// Shows behaviour 9, and behaviour 3.9 from the command line.

let h: Harness;
let ann: Person;
let printed: string[];
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  printed = [];
});
afterEach(() => h.close());

const NEW = 'seven lanterns on the hill';
const terminal = (password: string | null): Terminal => ({
  out: (line) => void printed.push(line),
  err: (line) => void printed.push(line),
  ask: () => Promise.resolve(password),
  stdin: () => Promise.resolve(`${password ?? ''}\n`),
});
const run = (argv: readonly string[], password: string | null = NEW) =>
  userStandingCommand(h.host.services, argv, terminal(password));
const login = (password: string) => openBrowser(h).send('POST', '/api/auth/login', { login: 'ann', password });

test('T34 the command bans by name or address, for some days or for good, and lifts the ban', async () => {
  expect(await run(['ban', '--username', 'ANN', '--reason', 'two accounts', '--days', '3'])).toBe(0);
  expect((await login(PASSWORD)).body).toMatchObject({
    error_code: 'ACCOUNT_BANNED',
    ban: { reason: 'two accounts', until: iso(h.clock.now() + 3 * DAY) },
  });
  expect(await run(['ban', '--username', 'ann@example.com', '--reason', 'for good'])).toBe(0);
  expect((await login(PASSWORD)).body).toMatchObject({ ban: { until: null } });
  expect(await run(['unban', '--username', 'ann'])).toBe(0);
  expect((await login(PASSWORD)).status).toBe(200);
  expect(printed).toEqual([
    'ANN is banned for 3 days.',
    'ann@example.com is banned permanently.',
    'ann is no longer banned.',
  ]);
  expect(await run(['unban', '--username', 'ann'])).toBe(1);
  expect(printed.at(-1)).toBe('ann: NOT_FOUND');
});

test('T35 a password that the command sets ends all sessions, and the old one is good no more', async () => {
  expect(await run(['password', '--username', 'ann', '--password-stdin'])).toBe(0);
  expect(await h.host.services.identity.resolve(ann.secret)).toBeNull();
  expect((await login(PASSWORD)).status).toBe(401);
  expect((await login(NEW)).status).toBe(200);
  expect(await run(['password', '--username', 'ann'], 'short')).toBe(1);
  expect(await run(['password', '--username', 'ann'], 'password1234')).toBe(1);
  expect(await run(['password', '--username', 'ann'], null)).toBe(2);
  expect(await run(['password', '--username', 'nobody'])).toBe(1);
  expect((await login(NEW)).status).toBe(200);
  expect(printed.join('\n')).not.toContain(NEW);
});

test('the last owner is not banned from the command line, and what is used wrongly prints the usage', async () => {
  const owner = await h.person('owner', { permissions: ['admin.root'] });
  expect(await run(['ban', '--username', owner.username, '--reason', 'by mistake'])).toBe(1);
  expect(printed).toEqual(['owner: LAST_OWNER']);
  expect(await run(['ban', '--username', 'ann', '--reason', 'no'])).toBe(1);
  expect(await run(['ban', '--username', 'ann', '--reason', 'long enough', '--days', '1e3'])).toBe(1);
  for (const wrong of [
    [],
    ['ban'],
    ['ban', '--username'],
    ['ban', '--username', 'ann', '--username', 'ann', '--reason', 'twice'],
    ['unban', '--username', 'ann', '--reason', 'none is taken'],
    ['password', '--username', 'ann', '--password', NEW],
    ['exile', '--username', 'ann'],
  ])
    expect(await run(wrong)).toBe(2);
  expect((await login(PASSWORD)).status).toBe(200);
});

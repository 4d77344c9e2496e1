import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { userRoleCommand } from './user-role.ts';

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
const run = (text: string) => userRoleCommand(h.host.services, text.split(' ').filter(Boolean), output);

test('the command gives a role by its name or key, and lists the users with their roles', async () => {
  await h.person('bob');
  expect(await run('role --username ann@example.com --role Support')).toBe(0);
  expect((await ann.api.session.get()).user_info).toMatchObject({ role: 'Support' });
  await h.db.sql("UPDATE roles SET name = 'Chief' WHERE key = 'owner'");
  expect(await run('role --username ann --role owner')).toBe(0);
  out = [];
  expect(await run('list')).toBe(0);
  expect(out).toEqual(['ann\tann@example.com\tChief\tactive', 'bob\tbob@example.com\tMember\tactive']);
  out = [];
  expect(await run('list --role chief')).toBe(0);
  expect(out).toHaveLength(1);
  const [audit] = await h.db.sql("SELECT actor_id, after FROM audit WHERE action = 'users.role' ORDER BY at_ms, id");
  expect(audit).toMatchObject({ actor_id: null });
});

test('the command does not take the role from the last owner, and says what it does not know', async () => {
  await run('role --username ann --role owner');
  expect(await run('role --username ann --role member')).toBe(1);
  expect(await run('role --username nobody --role member')).toBe(1);
  expect(await run('role --username ann --role root')).toBe(1);
  expect(await run('list --role root')).toBe(1);
  expect(err).toEqual(['ann: LAST_OWNER', 'nobody: NOT_FOUND', 'role: UNKNOWN', 'role: UNKNOWN']);
  for (const wrong of [
    '',
    'role',
    'role --username ann',
    'role ann member',
    'list --username ann',
    'list --role',
    'list --role a --role b',
  ])
    expect(await run(wrong)).toBe(2);
});

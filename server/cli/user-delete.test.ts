import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { userDeleteCommand } from './user-delete.ts';

// Shows behaviour 9, and behaviour 8.3 from the command line.

let h: Harness;
let ann: Person;
let printed: string[];
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  printed = [];
});
afterEach(() => h.close());

const print = (line: string) => void printed.push(line);
const run = (...argv: string[]) => userDeleteCommand(h.host.services, argv, { out: print, err: print });
const names = async () =>
  (await h.db.sql<{ username: string }>('SELECT username FROM users')).map(({ username }) => username);

test('without --yes the command shows what hangs on an account and changes nothing', async () => {
  await h.creditPerson(ann.id, 40);
  expect(await run('--username', 'ANN')).toBe(2);
  expect(printed).toContain('username          ann');
  expect(printed).toContain('credits           40');
  expect(printed).toContain('records           stay, under another name');
  expect(await h.host.services.identity.resolve(ann.secret)).not.toBeNull();
});

test('with --yes the account closes and the running server erases it; --whole is refused while records name it', async () => {
  await h.creditPerson(ann.id, 40);
  expect(await run('--username', 'ann', '--whole', '--yes')).toBe(1);
  expect(await h.host.services.identity.resolve(ann.secret)).not.toBeNull();
  expect(await run('--username', 'ann@example.com', '--yes')).toBe(0);
  expect(printed.at(-1)).toBe('ann is closed. The running server removes what hangs on it.');
  expect(await h.host.services.identity.resolve(ann.secret)).toBeNull();
  await h.drainJobs();
  expect(await names()).toEqual([expect.stringMatching(/^deleted-/)]);
});

test('with --whole an account without records is removed entirely', async () => {
  expect(await run('--username', 'ann', '--yes', '--whole')).toBe(0);
  await h.drainJobs();
  expect(await names()).toEqual([]);
});

test('T38 the last owner is not deleted from the command line, and what is used wrongly prints the usage', async () => {
  await h.person('owner', { permissions: ['admin.root'] });
  expect(await run('--username', 'owner', '--yes')).toBe(1);
  expect(printed).toEqual(['owner: LAST_OWNER']);
  expect(await run('--username', 'nobody', '--yes')).toBe(1);
  for (const wrong of [[], ['--yes'], ['--username'], ['--username', 'ann', '--force'], ['--yes', '--yes']])
    expect(await run(...wrong)).toBe(2);
  expect(await names()).toEqual(expect.arrayContaining(['ann', 'owner']));
});

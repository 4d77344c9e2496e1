import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

// Shows behaviour 3.6, without scripts.

let h: Harness;
let pages: Pages;
beforeAll(async () => {
  h = await openHarness();
  pages = await openPages(h);
});
afterAll(() => h.close());

const PATH = '/account?tab=security';
const NEXT = 'plough lantern meadow seven';
/** Somebody who signs in elsewhere, and has no password. */
async function addUser(username: string): Promise<Person> {
  const user = await h.person(username);
  await h.db.sql("UPDATE users SET password_hash = '' WHERE id = ?", [user.id]);
  return user;
}
const setPassword = (password: string, secret: string) =>
  pages.post(PATH, { _intent: 'password', password }, { secret });

test('a user who signs in elsewhere sets a first password without scripts, stays logged in, and logs in with it', async () => {
  const vlad = await addUser('vlad');
  const page = await (await pages.get(PATH, { secret: vlad.secret })).text();
  expect([page.includes('name="password"'), page.includes('name="current"')]).toEqual([true, false]);
  expect((await (await setPassword('short', vlad.secret)).text()).includes('aria-invalid="true"')).toBe(true);
  const done = await setPassword(NEXT, vlad.secret);
  const shown = await done.text();
  // The page belongs to the renewed session already: its visitor is no guest.
  const signs = ['Password changed', 'name="current"', '"username":"vlad"'];
  expect([done.status, ...signs.map((sign) => shown.includes(sign))]).toEqual([200, true, true, true]);
  const [secret = ''] = done.headers
    .getSetCookie()
    .flatMap((line) => /^__Host-spawnpoint=([^;]+)/.exec(line)?.[1] ?? []);
  expect((await (await pages.get(PATH, { secret })).text()).includes('name="current"')).toBe(true);
  const entered = await pages.post('/auth/login', { login: 'vlad', password: NEXT });
  expect([entered.status, entered.headers.get('location')]).toEqual([302, '/dashboard']);
});

test('T31 whoever logged in a while ago reads without scripts that they have to do so again', async () => {
  const ion = await addUser('ion');
  h.clock.advance(16 * MINUTE);
  const refused = await (await setPassword(NEXT, ion.secret)).text();
  expect(refused.includes('Log out and sign in again first')).toBe(true);
  expect(await h.db.sql('SELECT password_hash FROM users WHERE id = ?', [ion.id])).toEqual([{ password_hash: '' }]);
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY } from '#shared/time.ts';
import { ctxOf, guestCtx, openBrowser } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { proveLedger } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

/** T17: what a confirmed address is worth is paid once, however often an address is confirmed or said to be another. */
let smtp: SmtpStandIn;
let h: Harness;
let ann: Person;
let code: string;
beforeEach(async () => {
  smtp = await openSmtp();
  h = await openHarness({ config: { mail: smtp.config } });
  ann = await h.person('ann');
  await h.set({ mail_verification: true });
  await h.db.sql('UPDATE users SET verified_ms = 1 WHERE id = ?', [ann.id]);
  ({ code } = await ann.api.referrals.makeCode());
});
afterEach(async () => {
  await h.close();
  await smtp.close();
});

const identity = () => h.host.services.identity;
const latestToken = () => /\/auth\/verify\?token=([\w-]+)/.exec(smtp.delivered.at(-1)?.mail.text ?? '')?.[1] ?? '';
const verify = () => codeOf(identity().verifyAddress(guestCtx(), latestToken()));
/**
 * Registers by Ann's link before the host asked for confirmed addresses, with a server already, so that only age and
 * address are missing. Out: the account's id.
 */
async function newcomer(): Promise<string> {
  await h.set({ mail_verification: false });
  const person = {
    username: 'bob',
    email: 'bob@mail.example',
    password: PASSWORD,
    first_name: 'B',
    last_name: 'O',
    terms: true,
    referral: code,
  };
  expect((await openBrowser(h, '198.51.100.20').send('POST', '/api/auth/register', person)).status).toBe(200);
  await h.set({ mail_verification: true });
  await h.drainJobs();
  const [row] = await h.db.sql<{ id: string }>("SELECT id FROM users WHERE username = 'bob'");
  await h.db.sql("INSERT INTO server_events (id, server_id, user_id, at_ms, code) VALUES ('e', 's', ?, 1, 'ready')", [
    row?.id ?? '',
  ]);
  return row?.id ?? '';
}
const login = async () =>
  (
    await identity().login(
      guestCtx({ address: '198.51.100.20' }),
      { login: 'bob', password: PASSWORD },
      { secret: null, device: 'device-of-bob-1234' },
    )
  ).secret;
const balances = async (id: string) => [await h.balance(ann.id), await h.balance(id)];

test('T17 nothing is paid before the address is confirmed, and once after, however many links are opened at once', async () => {
  const id = await newcomer();
  h.clock.advance(2 * DAY);
  await h.drainJobs();
  expect(await balances(id)).toEqual([0, 0]);
  await identity().resendVerification(await ctxOf(h, await login()));
  await h.drainJobs();
  expect(await atOnce(50, () => identity().verifyAddress(guestCtx(), latestToken()))).toEqual({
    ok: 1,
    VERIFY_LINK_INVALID: 49,
  });
  h.clock.advance(DAY);
  await h.drainJobs();
  expect(await balances(id)).toEqual([35, 15]);
  expect(await codeOf(identity().resendVerification(await ctxOf(h, await login())))).toBe('ALREADY_VERIFIED');
  h.clock.advance(3 * DAY);
  await h.drainJobs();
  expect(await balances(id)).toEqual([35, 15]);
  await proveLedger(h.db.uow);
});

test('T17 an address that is changed and confirmed again pays nobody again', async () => {
  const id = await newcomer();
  await identity().resendVerification(await ctxOf(h, await login()));
  await h.drainJobs();
  expect(await verify()).toBeNull();
  h.clock.advance(2 * DAY);
  await h.drainJobs();
  expect(await balances(id)).toEqual([35, 15]);
  // Only in the database is an address changed: no command does it.
  for (const address of ['bob2@mail.example', 'bob@mail.example']) {
    await h.db.sql('UPDATE users SET email = ?, email_key = ?, verified_ms = NULL WHERE id = ?', [
      address,
      address,
      id,
    ]);
    h.clock.advance(DAY);
    await identity().resendVerification(await ctxOf(h, await login()));
    await h.drainJobs();
    expect(await verify()).toBeNull();
    h.clock.advance(2 * DAY);
    await h.drainJobs();
    expect(await balances(id)).toEqual([35, 15]);
  }
  await proveLedger(h.db.uow);
});

test('T17 no form of the account takes an address', async () => {
  const id = await newcomer();
  await identity().resendVerification(await ctxOf(h, await login()));
  await h.drainJobs();
  expect(await verify()).toBeNull();
  const browser = openBrowser(h, '198.51.100.20');
  await browser.send('POST', '/api/auth/login', { login: 'bob', password: PASSWORD });
  const change = { first_name: 'B', last_name: 'O', locale: 'en', email: 'other@mail.example' };
  expect(await browser.send('PATCH', '/api/account', change)).toMatchObject({
    status: 422,
    body: { fields: { email: ['UNKNOWN'] } },
  });
  expect(await h.db.sql('SELECT email FROM users WHERE id = ?', [id])).toEqual([{ email: 'bob@mail.example' }]);
});

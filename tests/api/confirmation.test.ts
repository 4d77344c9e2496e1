import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

let smtp: SmtpStandIn;
let h: Harness;
let staff: Person;
let player: Person;
beforeEach(async () => {
  smtp = await openSmtp();
  h = await openHarness({ config: { mail: smtp.config } });
  staff = await h.person('oana', { permissions: ['admin.users.list', 'admin.users.edit'] });
  player = await h.person('mirela.v');
});
afterEach(async () => {
  await h.close();
  await smtp.close();
});

/** What staff, the player's page and the session say of the player's address. */
async function said(): Promise<unknown[]> {
  const { confirmation } = await staff.api.adminUsers.get({ params: { id: player.id } });
  return [
    confirmation,
    (await player.api.account.get()).confirmation,
    (await player.api.session.get()).user_info.confirmation,
  ];
}

test('Screen 2 staff and player read the same of an address, whether the host asks for it or not', async () => {
  expect(await said()).toEqual(['confirmed', 'confirmed', 'confirmed']);
  await h.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [player.id]);
  await h.set({ mail_verification: true });
  expect(await said()).toEqual(['pending', 'pending', 'pending']);
  await h.set({ mail_verification: false });
  expect(await said()).toEqual(['not_asked', 'not_asked', 'not_asked']);
  // Nothing is held back where nobody asks.
  expect(await player.api.account.get()).toMatchObject({ verified: true });
});

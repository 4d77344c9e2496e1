import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

let smtp: SmtpStandIn;
beforeEach(async () => {
  smtp = await openSmtp();
});
afterEach(() => smtp.close());

describe.each(ENGINES)('the mail server of the settings on %s', (engine) => {
  let quiet: Harness;
  beforeEach(async () => {
    quiet = await openHarness({ engine });
  });
  afterEach(() => quiet.close());
  const serverOf = ({ config }: SmtpStandIn, change: object = {}) => ({
    mail_host: config.host,
    mail_port: config.port,
    mail_encryption: config.security,
    mail_from_address: config.fromAddress,
    ...change,
  });
  const writeMail = () => quiet.db.uow.run((tx) => quiet.host.services.mailing.send(tx, DRAFT));
  const DRAFT = {
    userId: null,
    address: 'player@mail.example',
    locale: 'en',
    template: 'verify',
    vars: { name: 'Mirela', path: '/auth/verify' },
  } as const;

  test('e-mails are kept until one is set, then leave by it at once, and by another one after a change', async () => {
    await writeMail();
    await quiet.drainJobs();
    expect(smtp.delivered).toEqual([]);
    await quiet.set({ ...serverOf(smtp), app_name: 'Lantern' });
    await quiet.set({ mail_verification: true });
    await writeMail();
    await quiet.drainJobs();
    expect(smtp.delivered.map(({ from, mail }) => [from, mail.from?.name])).toEqual([
      ['no-reply@panel.example', 'Lantern'],
    ]);
    const second = await openSmtp();
    await quiet.set(serverOf(second, { mail_from_address: 'hello@panel.example', mail_from_name: 'Lantern host' }));
    await writeMail();
    await quiet.drainJobs();
    expect(second.delivered.map(({ from, mail }) => [from, mail.from?.name])).toEqual([
      ['hello@panel.example', 'Lantern host'],
    ]);
    expect(smtp.delivered).toHaveLength(1);
    // Without one nothing is lost: what waits is tried again.
    await writeMail();
    await quiet.set({ mail_host: '' });
    await quiet.drainJobs();
    const [waiting] = await quiet.db.uow.read((tx) => tx.mail.listLatest(1));
    expect(waiting).toMatchObject({ state: 'queued', lastError: 'no mail server is set' });
    await quiet.set(serverOf(second));
    quiet.clock.advance(MINUTE);
    await quiet.drainJobs();
    expect(second.delivered).toHaveLength(2);
    await second.close();
  });

  test('the one of the environment holds in its place, and the page says so', async () => {
    const other = await openHarness({ engine, config: { mail: smtp.config } });
    const owner = await other.person('owner', { permissions: ['admin.root'] });
    await other.set({ mail_host: 'nowhere.example', mail_from_address: 'a@nowhere.example' });
    await other.db.uow.run((tx) => other.host.services.mailing.send(tx, DRAFT));
    await other.drainJobs();
    expect(smtp.delivered).toHaveLength(1);
    const { rows } = await owner.api.adminSettings.list({});
    const overridden = rows.filter(({ overridden_by: by }) => by === 'MAIL_HOST').map(({ key }) => key);
    expect(overridden).toEqual([
      'mail_host',
      'mail_port',
      'mail_encryption',
      'mail_username',
      'mail_password',
      'mail_from_address',
      'mail_from_name',
    ]);
    await other.close();
  });

  test('T57 only an owner chooses it, since whoever does reads every link to a new password', async () => {
    const staff = await quiet.person('staff', { permissions: ['admin.settings.view', 'admin.settings.edit'] });
    const owner = await quiet.person('owner', { permissions: ['admin.root'] });
    const changes = Object.entries(serverOf(smtp)).map(([key, value]) => ({ key, value, revision: 0 }));
    const save = async (by: Person) =>
      (await call(quiet, by, 'PATCH', '/api/admin/settings', { changes, confirmed: true })).json.fields ?? null;
    expect(await save(staff)).toEqual(Object.fromEntries(changes.map(({ key }) => [key, ['NOT_ALLOWED']])));
    // A server needs a sender, and no password crosses a network in clear.
    const far = async (values: Record<string, string>) => {
      const wanted = Object.entries(values).map(([key, value]) => ({ key, value, revision: 0 }));
      return (await call(quiet, owner, 'POST', '/api/admin/settings/review', { changes: wanted })).json.fields ?? null;
    };
    expect(await far({ mail_host: 'smtp.example.com' })).toEqual({ mail_from_address: ['REQUIRED'] });
    const inClear = { mail_host: 'smtp.example.com', mail_from_address: 'a@b.example', mail_encryption: 'none' };
    expect(await far({ ...inClear, mail_password: 'hush' })).toEqual({ mail_encryption: ['NOT_ALLOWED'] });
    expect(await far(inClear)).toBeNull();
    expect(await save(owner)).toBeNull();
  });
});

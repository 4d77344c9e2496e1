import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupPath, newBackupId, prepareFolder, writeFacts } from '#server/backups/folder.ts';
import { newBackupState, type BackupWorker } from '#server/modules/backups/index.ts';
import { SETUP_STEPS, type SetupStep } from '#shared/setup-guide.ts';
import { dataFolder, TEST_FIGURES } from '#tests/support/backups.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp } from '#tests/support/smtp.ts';

setDefaultTimeout(300_000);

/** Public address of the installation of these tests. */
const ADDRESS = 'https://panel.example.com';

describe.each(ENGINES)('the set-up guide on %s', (engine) => {
  let h: Harness;
  let owner: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    owner = await h.person('owner', { permissions: ['admin.root'] });
  });
  afterEach(() => h.close());

  const get = () => owner.api.adminSetup.get({});
  const complete = (step: SetupStep, origin = ADDRESS) =>
    owner.api.adminSetup.complete({ params: { step }, body: { origin } });
  const stateOf = async (step: SetupStep) => (await get()).steps.find((each) => each.step === step)?.state;
  const checkOf = async (step: SetupStep, origin = ADDRESS) =>
    Object.fromEntries((await complete(step, origin)).checks.map(({ code, state }) => [code, state]));

  test('every step is open at first, and the guide is finished when each is done or skipped', async () => {
    const guide = await get();
    expect(guide.steps.map(({ step, state }) => [step, state])).toEqual(SETUP_STEPS.map((step) => [step, 'open']));
    expect(guide).toMatchObject({ finished: false, address: ADDRESS, built_in: true, catalogue_empty: true });
    for (const step of SETUP_STEPS) await owner.api.adminSetup.skip({ params: { step } });
    expect((await get()).finished).toBe(true);
    expect((await owner.api.adminOverview.get()).guide).toMatchObject({ finished: true });
    // A skipped step is completed after all, and stays so when it is completed twice at once.
    await Promise.all([complete('address'), complete('address')]);
    expect(await stateOf('address')).toBe('done');
  });

  test('the address is checked by the one that the browser uses: HTTPS, and that of the links', async () => {
    expect(await checkOf('address', 'http://panel.example.com')).toEqual({ https: 'failed', sameAddress: 'failed' });
    expect(await checkOf('address', 'https://other.example.com')).toEqual({ https: 'ok', sameAddress: 'failed' });
    expect(await checkOf('address', '')).toEqual({ https: 'failed', sameAddress: 'failed' });
    expect(await stateOf('address')).toBe('open');
    expect(await checkOf('address')).toEqual({ https: 'ok', sameAddress: 'ok' });
    expect(await stateOf('address')).toBe('done');
  });

  test('the mail step is done when the mail server has taken an e-mail to the owner, and open again with another one', async () => {
    expect(await checkOf('mail')).toEqual({ mailServer: 'failed' });
    const smtp = await openSmtp();
    const server = {
      mail_host: smtp.config.host,
      mail_port: smtp.config.port,
      mail_encryption: 'none',
      mail_from_address: 'no-reply@panel.example',
    };
    await h.set(server);
    smtp.next.push({ at: 'rcpt', code: 550, text: 'relaying denied' });
    const refused = await complete('mail');
    expect(refused).toMatchObject({ state: 'open', checks: [{ code: 'mailServer' }, { code: 'mailTaken' }] });
    expect(refused.checks[1]?.fact).toContain('relaying denied');
    expect(await complete('mail')).toMatchObject({
      state: 'done',
      checks: [{ code: 'mailServer' }, { code: 'mailTaken', state: 'ok', fact: 'owner@example.com' }],
    });
    expect(smtp.delivered.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [['owner@example.com'], 'Test of the mail server'],
    ]);
    expect(await stateOf('mail')).toBe('done');
    await h.set({ mail_from_address: 'other@panel.example' });
    expect(await stateOf('mail')).toBe('open');
    await smtp.close();
  });

  test('the built-in panel and the samples make a server possible, and what is taken away opens the step again', async () => {
    // That servers are imitated is said, and keeps nobody from trying things.
    expect(await checkOf('panel')).toEqual({ panelBuiltIn: 'ok', serversRun: 'warning' });
    expect(await checkOf('catalogue')).toEqual({ location: 'failed', egg: 'failed' });
    expect(await checkOf('newUsers')).toEqual({ serverAllowed: 'ok', serverFits: 'failed' });
    const added = await Promise.all([owner.api.adminSetup.sample(), owner.api.adminSetup.sample()]);
    expect(added.map((each) => each.added).toSorted()).toEqual([false, true]);
    expect(await checkOf('catalogue')).toEqual({ location: 'ok', egg: 'ok' });
    expect(await checkOf('newUsers')).toEqual({ serverAllowed: 'ok', serverFits: 'ok' });
    await h.set({ default_ram: 100 });
    expect(await stateOf('newUsers')).toBe('open');
    await h.set({ default_ram: 1024, allow_servers: false });
    expect(await checkOf('newUsers')).toEqual({ serverAllowed: 'failed', serverFits: 'ok' });
    await h.db.sql('UPDATE eggs SET enabled = 0');
    expect(await stateOf('catalogue')).toBe('open');
    await h.set({ allow_servers: true });
    const player = await h.person('player');
    expect((await player.api.servers.options()).locations.length).toBeGreaterThan(0);
  });

  test('earning, payments and legal texts are checked by what is set', async () => {
    expect(await checkOf('earning')).toEqual({
      sourceOn: 'ok',
      discordApplication: 'warning',
      linkProvider: 'warning',
    });
    await h.set({ afk_enabled: false, code_redemption_enabled: false, j4r_enabled: false, referrals_enabled: false });
    await h.set({ links_enabled: false, early_supporters_enabled: false });
    expect(await checkOf('earning')).toEqual({ sourceOn: 'failed' });
    expect(await checkOf('payments')).toEqual({ paymentWay: 'failed' });
    await h.set({ manual_payments_enabled: true, manual_payment_account: 'RO49 AAAA 1B31' });
    expect(await checkOf('payments')).toEqual({ paymentWay: 'ok' });
    expect(await checkOf('legal')).toEqual({ company: 'failed', legalTexts: 'warning' });
    await h.set({ company_name: 'Lantern', company_address: 'Street 1', company_city: 'Iași', company_country: 'RO' });
    expect(await complete('legal')).toMatchObject({
      state: 'done',
      checks: [{ fact: 'Lantern' }, { state: 'warning' }],
    });
  });

  test('Stripe, PayPal and Discord are asked whether they take what is set, and what Discord says keeps nothing back', async () => {
    const RIGHT = 'the-right-secret';
    const opened = (request: Request, words: string) => request.headers.get('authorization') === words;
    const basic = (name: string) => `Basic ${btoa(`${name}:${RIGHT}`)}`;
    const client = '123456789012345678';
    const answers: Readonly<Record<string, (request: Request) => boolean>> = {
      '/v1/checkout/sessions': (request) => opened(request, `Bearer ${RIGHT}`),
      '/v1/oauth2/token': (request) => opened(request, basic('app')),
      '/v1/notifications/webhooks/WH-1': (request) => opened(request, 'Bearer granted'),
      '/discord/oauth2/token': (request) => opened(request, basic(client)),
    };
    const standIn = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const isRight = answers[new URL(request.url).pathname]?.(request) === true;
        const body = { access_token: 'granted', token_type: 'Bearer', url: `${ADDRESS}/api/webhooks/paypal`, data: [] };
        return Response.json(isRight ? body : { error: 'invalid_client' }, { status: isRight ? 200 : 401 });
      },
    });
    const base = standIn.url.origin;
    const set = (secret: string) =>
      h.set({
        outbound_private_networks: true,
        stripe_enabled: true,
        stripe_secret_key: secret,
        stripe_webhook_secret: 'whsec',
        stripe_api_url: base,
        paypal_enabled: true,
        paypal_client_id: 'app',
        paypal_client_secret: secret,
        paypal_webhook_id: 'WH-1',
        paypal_merchant_id: 'ME',
        paypal_api_url: base,
        j4r_enabled: true,
        discord_client_id: client,
        discord_client_secret: secret,
        discord_api_url: `${base}/discord`,
      });
    await set('another-secret');
    expect(await checkOf('payments')).toEqual({ paymentWay: 'ok', stripeTaken: 'failed', paypalTaken: 'failed' });
    expect(await stateOf('payments')).toBe('open');
    expect(await checkOf('earning')).toMatchObject({ sourceOn: 'ok', discordTaken: 'warning' });
    expect(await stateOf('earning')).toBe('done');
    await set(RIGHT);
    expect(await checkOf('payments')).toEqual({ paymentWay: 'ok', stripeTaken: 'ok', paypalTaken: 'ok' });
    expect(await stateOf('payments')).toBe('done');
    expect(await checkOf('earning')).toMatchObject({ discordTaken: 'ok' });
    await standIn.stop(true);
  });

  test('the backup step makes a backup and proves it, once, and is open again when that one is gone', async () => {
    using folder = dataFolder();
    const asked: string[] = [];
    const backups = join(folder.path, 'backups');
    const facts = (fault: 'ledger' | null) => ({ figures: TEST_FIGURES, verified: { at_ms: 1, fault } });
    let fault: 'ledger' | null = 'ledger';
    const never = () => Promise.resolve({ fault: 'stopped', message: 'not here' } as const);
    const worker: BackupWorker = {
      create(kind) {
        prepareFolder(backups, h.clock.now());
        const id = newBackupId(kind, h.clock.now());
        writeFileSync(backupPath(backups, id), 'sealed');
        asked.push('create');
        return Promise.resolve({ done: { id, bytes: 6 } });
      },
      verify(id) {
        asked.push('verify');
        writeFacts(backups, id, facts(fault));
        return Promise.resolve(fault ? { fault, message: 'no' } : { done: {} });
      },
      send: never,
      retrieve: never,
      stage: never,
      replace: never,
      count: never,
      stop: () => undefined,
    };
    await h.close();
    h = await openHarness({
      engine,
      config: { dataDir: folder.path },
      backups: { worker, state: newBackupState() },
    });
    owner = await h.person('owner', { permissions: ['admin.root'] });
    expect((await get()).steps.at(-1)).toMatchObject({ step: 'backup', checks: [{ state: 'failed' }, {}, {}] });
    expect(await checkOf('backup')).toEqual({
      backupProven: 'failed',
      backupDaily: 'ok',
      backupElsewhere: 'warning',
    });
    expect(await stateOf('backup')).toBe('open');
    fault = null;
    h.clock.advance(1000);
    const done = await Promise.all([complete('backup'), complete('backup')]);
    expect(done.some(({ state }) => state === 'done')).toBe(true);
    await complete('backup');
    expect(asked).toEqual(['create', 'verify', 'create', 'verify']);
    expect(await stateOf('backup')).toBe('done');
    await h.set({ backup_daily: false });
    expect(await checkOf('backup')).toMatchObject({ backupProven: 'ok', backupDaily: 'warning' });
    for (const { id } of (await owner.api.adminBackups.list({})).backups)
      await owner.api.adminBackups.remove({ params: { id } });
    expect(await stateOf('backup')).toBe('open');
  });

  test('T61 the guide is the owner’s alone, whatever else somebody may', async () => {
    const staff = await h.person('staff', {
      permissions: ['admin.settings.view', 'admin.settings.edit', 'admin.dashboard.view'],
    });
    for (const [method, path, body] of [
      ['GET', '/api/admin/setup', undefined],
      ['POST', '/api/admin/setup/mail/complete', { origin: ADDRESS }],
      ['POST', '/api/admin/setup/mail/skip', undefined],
      ['POST', '/api/admin/setup/sample', undefined],
    ] as const)
      expect([path, (await call(h, staff, method, path, body)).status]).toEqual([path, 403]);
    expect((await staff.api.adminOverview.get()).guide).toBeNull();
    expect((await call(h, owner, 'POST', '/api/admin/setup/nothing/skip')).status).toBe(404);
    expect((await get()).catalogue_empty).toBe(true);
  });
});

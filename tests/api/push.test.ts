import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createRunner } from '#server/jobs/runner.ts';
import { sentenceTexts } from '#server/mail/texts.ts';
import { createPushJob, createPushTest, PUSH_JOB } from '#server/modules/notifications/index.ts';
import { createWebPush } from '#server/push/web-push.ts';
import { SUBJECT_NAMES, type NotificationKind } from '#shared/notifications.ts';
import { isPushService, type PushText } from '#shared/push.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ctxOf } from '#tests/support/browser.ts';
import { testIds, TEST_START } from '#tests/support/clock.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { testLog } from '#tests/support/log.ts';
import { openPushService, testBrowser, type TestBrowser } from '#tests/support/push-service.ts';

// Shows behaviour 7.5 with a push service that opens what it is sent.

setDefaultTimeout(300_000);

test('the stand-in opens the worked example of the contract', () => {
  const browser = testBrowser(
    'https://push.example/1',
    'GBmc3ZoWRP_C8KP16Rn5iO3zZf8FEhSGiExAkVYFYJQ',
    'Njwr49k24mDs3CXTLDCfQg',
  );
  expect(browser.p256dh).toBe(
    'BKFdtcA_1E3cEWpSsrd7V3uG_uzJo5MlY-NMWW_CNFAu45Z722_LmS8k4ZFvDR9bwxbrZHkstIUya7usHeSBNjM',
  );
  const body =
    'iVbGZCFU6KkEQCpp4CwqjAAAEABBBLvTnGuM3jHO5ndsg3cr5AEUkgZ_NKB8vzIQBU0C9kUZukzH5mM3W1C1ucNk1Y-1NE_c0noLPjvrA2Sb8qzwsjWFyVnGhXidgifbKn9hIh44RB45Bd4qMHu29tE';
  expect(browser.open(Buffer.from(body, 'base64url'))).toBe('{"t":"hi"}');
});

test('T44 only the push services of browsers are endpoints', () => {
  const right = [
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://wns2-am3p.notify.windows.com/w/?token=abc',
    'https://web.push.apple.com/abc',
  ];
  const wrong = [
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/abc',
    'https://user@fcm.googleapis.com/abc',
    'https://fcm.googleapis.com.evil.example/abc',
    'https://evilnotify.windows.com/abc',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/abc',
    'javascript:alert(1)',
    '',
  ];
  expect([...right, ...wrong].filter(isPushService)).toEqual(right);
});

describe.each(ENGINES)('pushes on %s', (engine) => {
  let h: Harness;
  let who: Person;
  let service: ReturnType<typeof openPushService>;
  let run: () => Promise<number>;
  let tryPush: ReturnType<typeof createPushTest>;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    await h.set({ app_timezone: 'UTC' });
  });
  afterAll(() => h.close());
  beforeEach(async () => {
    h.clock.set(TEST_START + made * 10 * DAY);
    await h.db.sql('DELETE FROM jobs');
    await h.set({ push_enabled: true });
    who = await h.person(`player${(made += 1)}`);
    service = openPushService();
    const { services } = h.host;
    const sender = createWebPush({
      fetch: service.fetch,
      contact: () => 'https://panel.example.com',
    });
    const deps = { ...services, sender, texts: sentenceTexts };
    const handlers = { [PUSH_JOB]: createPushJob(deps) };
    const parts = { uow: h.db.uow, clock: h.clock, ids: { ...testIds(7), token: () => crypto.randomUUID() } };
    const runner = createRunner({ ...parts, log: testLog(), bus: h.db.bus, handlers, random: () => 0.5 });
    run = () => runner.runDue();
    tryPush = createPushTest(deps);
  });

  const subscribe = async (of = who, browser: TestBrowser = service.browser()) => {
    const { endpoint, p256dh, auth } = browser;
    await of.api.notifications.subscribe({ body: { endpoint, p256dh, auth } });
    return browser;
  };
  const notify = (kind: NotificationKind = 'giftReceived', to = who) =>
    h.db.uow.run((tx) =>
      h.host.services.notifications.notify(tx, [{ userId: to.id, kind, data: { name: 'ann', cost: 5 } }]),
    );
  const devices = async (of = who) => (await of.api.notifications.settings()).push?.devices ?? [];
  const texts = () => service.taken.map(({ text }) => JSON.parse(text) as PushText);

  test('a push reaches every browser of its user, opened by it alone and signed for its service', async () => {
    const [one, two] = [await subscribe(), await subscribe()];
    await subscribe(await h.person(`other${made}`));
    await notify();
    await run();
    expect(new Set(service.taken.map(({ endpoint }) => endpoint))).toEqual(new Set([one.endpoint, two.endpoint]));
    const [push] = service.taken;
    expect(JSON.parse(push?.text ?? '')).toMatchObject({
      title: 'Spawnpoint',
      body: 'ann sent you 5 credits.',
      path: '/account?tab=statement',
    });
    expect(push?.claims).toMatchObject({
      aud: 'https://updates.push.services.mozilla.com',
      sub: 'https://panel.example.com',
    });
    // The library goes by the machine's own clock.
    const validS = (push?.claims.exp ?? 0) - Date.now() / 1000;
    expect([validS > 0, validS <= 24 * 3600]).toEqual([true, true]);
    expect(push?.headers.get('content-encoding')).toBe('aes128gcm');
    expect(push?.headers.get('content-length'), 'how long a text is, nobody sees').toBe('4096');
    expect(push?.headers.get('ttl')).toBe('86400');
    expect(push?.headers.get('topic')).toMatch(/^[\w-]{1,32}$/);
    expect((await devices()).every(({ reached_at: at }) => at !== null)).toBe(true);
  });

  test('the keys are made once, whoever asks first, and lie sealed', async () => {
    await h.db.sql('DELETE FROM push_keys');
    const ask = async () => (await who.api.notifications.settings()).push?.key;
    const keys = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(new Set(keys).size).toBe(1);
    const rows = await h.db.sql<{ public_key: string; private_key: string }>('SELECT * FROM push_keys');
    expect(rows.map((row) => [row.public_key, row.private_key.startsWith('sealed:1:')])).toEqual([
      [String(keys[0]), true],
    ]);
  });

  test('keys that the key of the installation does not open are replaced, and subscriptions end with them', async () => {
    const before = (await who.api.notifications.settings()).push?.key;
    await subscribe();
    await h.db.sql("UPDATE push_keys SET private_key = 'sealed:1:AAAAAAAA:AAAA'");
    const after = await who.api.notifications.settings();
    expect(after.push?.key).not.toBe(before);
    expect(after.push?.devices).toEqual([]);
  });

  test('a browser belongs to whoever subscribed last, until the session ends', async () => {
    const browser = await subscribe();
    expect((await devices()).map(({ current }) => current)).toEqual([true]);
    const other = await h.person(`other${made}`);
    await subscribe(other, browser);
    expect([await devices(), (await devices(other)).length]).toEqual([[], 1]);
    await notify('giftReceived', other);
    await other.api.auth.logout();
    await run();
    expect(service.taken).toEqual([]);
  });

  test('a service that says the browser is gone ends the subscription, whichever of the two ways it says so', async () => {
    for (const status of [404, 410]) {
      await subscribe();
      service.answerWith(() => new Response('', { status }));
      await notify();
      await run();
      expect(await devices()).toEqual([]);
    }
  });

  test('a service that is busy is asked again when it says, one that hangs later, and one that refuses never', async () => {
    await subscribe();
    service.answerWith(
      () => new Response('', { status: 429, headers: { 'Retry-After': '90' } }),
      () => new DOMException('timed out', 'TimeoutError'),
      () => new Response('', { status: 503 }),
    );
    await notify();
    await run();
    h.clock.advance(89_000);
    expect(await run()).toBe(0);
    h.clock.advance(1000);
    await run();
    h.clock.advance(HOUR);
    await run();
    h.clock.advance(HOUR);
    await run();
    // What may have come twice takes the place of the first: it has the same topic and tag.
    expect(service.taken).toHaveLength(4);
    expect(new Set(service.taken.map(({ headers }) => headers.get('topic'))).size).toBe(1);
    expect(new Set(texts().map(({ tag }) => tag)).size).toBe(1);
    service.answerWith(() => new Response('', { status: 413 }));
    await notify();
    await run();
    h.clock.advance(DAY);
    expect(await run()).toBe(0);
    expect((await devices()).length).toBe(1);
  });

  test('pushes wait for the end of the quiet hours, security does not, and what was read meanwhile is not pushed', async () => {
    await subscribe();
    const body = {
      app: SUBJECT_NAMES,
      push: ['gifts', 'setup', 'security'] as const,
      mail: {},
      digest_hour: 8,
      quiet: true,
      quiet_from: 11,
      quiet_until: 14,
    };
    await who.api.notifications.saveSettings({ body: { ...body, push: [...body.push] } });
    await notify('giftReceived');
    await notify('creditsAdded');
    await notify('recoveryCodeUsed');
    await run();
    expect(texts().map(({ path }) => path)).toEqual(['/dashboard']);
    expect(service.taken[0]?.headers.get('urgency')).toBe('high');
    h.clock.advance(HOUR);
    await who.api.notifications.markAllRead();
    await notify('serverReady');
    h.clock.advance(HOUR);
    await run();
    expect(texts()).toHaveLength(2);
  });

  test('T52 a flood is not pushed beyond twenty a minute, and no user has more than ten browsers', async () => {
    await subscribe();
    for (let n = 0; n < 30; n += 1) await notify();
    await run();
    expect(service.taken).toHaveLength(20);
    for (let n = 0; n < 12; n += 1) {
      h.clock.advance(1000);
      await subscribe();
    }
    expect((await devices()).length).toBe(10);
  });

  test('what is no push service or no key is refused, and nobody ends the subscriptions of others', async () => {
    const { p256dh, auth } = testBrowser();
    const send = (body: { endpoint: string; p256dh: string; auth: string }) =>
      codeOf(who.api.notifications.subscribe({ body }));
    expect(await send({ endpoint: 'https://127.0.0.1/x', p256dh, auth })).toBe('VALIDATION_FAILED');
    const endpoint = 'https://fcm.googleapis.com/fcm/send/x';
    expect(await send({ endpoint, p256dh: 'abc', auth })).toBe('VALIDATION_FAILED');
    expect(await send({ endpoint, p256dh, auth: 'abc' })).toBe('VALIDATION_FAILED');
    const other = await h.person(`other${made}`);
    await subscribe(other);
    const [theirs] = await devices(other);
    const params = { id: theirs?.id ?? '' };
    expect(await codeOf(who.api.notifications.unsubscribe({ params }))).toBe('NOT_FOUND');
    await other.api.notifications.unsubscribe({ params });
    expect(await devices(other)).toEqual([]);
  });

  test('a host that turned pushes off sends none, and takes no browsers', async () => {
    await subscribe();
    await notify();
    await h.set({ push_enabled: false });
    await run();
    expect(service.taken).toEqual([]);
    expect((await who.api.notifications.settings()).push).toBeNull();
    const { endpoint, p256dh, auth } = testBrowser();
    expect(await codeOf(who.api.notifications.subscribe({ body: { endpoint, p256dh, auth } }))).toBe('FORBIDDEN');
  });

  test('a test reaches each browser, and that of staff says what came of it', async () => {
    expect((await who.api.notifications.testPush()).devices).toBe(0);
    const ctx = await ctxOf(h, who.secret);
    expect(await tryPush(ctx)).toBeNull();
    await subscribe();
    expect((await who.api.notifications.testPush()).devices).toBe(1);
    await run();
    expect(texts()).toMatchObject([{ body: 'This is a test. Push works in this browser.', path: '/dashboard' }]);
    expect((await tryPush(ctx))?.outcome).toEqual({ kind: 'sent' });
    service.answerWith(() => new Response('', { status: 410 }));
    expect((await tryPush(ctx))?.outcome).toEqual({ kind: 'gone' });
    expect(await devices()).toEqual([]);
  });

  test('a push speaks the language of its user', async () => {
    await h.db.sql("UPDATE users SET locale = 'de' WHERE id = ?", [who.id]);
    await subscribe();
    await notify();
    h.clock.advance(MINUTE);
    await run();
    expect(texts().map(({ body }) => body)).toEqual(['ann hat dir 5 Credits geschenkt.']);
  });
});

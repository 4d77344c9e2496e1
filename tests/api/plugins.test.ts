import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openHost, type Host } from '#server/compose/host.ts';
import { readConfig } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import type { PluginEngine } from '#server/modules/plugins/engine-ports.ts';
import { EVENTS_MAX } from '#server/modules/plugins/feeding.ts';
import { PLUGINS_TOPIC } from '#server/modules/plugins/registry.ts';
import { createRunning, RUNNING_TOPIC } from '#server/modules/plugins/running.ts';
import { createGranted } from '#server/plugins/granted.ts';
import { supervise } from '#server/plugins/supervisor.ts';
import type { PluginManifest } from '#shared/plugin-manifest.ts';
import { REQUEST_KINDS } from '#shared/plugins.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { testIds } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { thriftyPasswords } from '#tests/support/passwords.ts';
import { packedPlugin, signingKey, spawnPackageReading, spawnSandbox } from '#tests/support/plugin-packages.ts';
import { TEST_KEY } from '#tests/support/sealing.ts';

// Shows behaviour 8.8 for plugins of others.

setDefaultTimeout(300_000);

/** What a plugin answered. */
const parsed = (json: string): unknown => (json === '' ? null : JSON.parse(json));

const ALL: PluginManifest['permissions'] = {
  events: ['credits.*', 'user.renamed'],
  reads: ['users'],
  endpoints: true,
  storage: true,
  mail: true,
  notifications: true,
  credits: 100,
};

describe.each(ENGINES)('plugins of others on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let owner: Person;
  beforeAll(async () => {
    h = await openHarness({ engine, plugins: true });
    staff = await h.person('petra', { permissions: ['admin.plugins.list', 'admin.plugins.edit'] });
    owner = await h.person('olga', { permissions: ['admin.root'] });
  });
  afterAll(() => h.close());
  afterEach(async () => {
    for (const { identifier, installed } of (await staff.api.adminPlugins.list()).rows)
      if (installed) await staff.api.adminPlugins.remove({ params: { identifier } });
    await h.db.sql('DELETE FROM plugin_budgets');
    expect(h.errors).toEqual([]);
    // Uploads are limited by the minute, which is not what is tested here.
    await pass(11 * MINUTE);
  });

  const upload = async (bytes: Uint8Array<ArrayBuffer>) => (await staff.api.adminPlugins.upload({ body: bytes })).id;
  const grant = (id: string, change: object = {}, who = staff) =>
    who.api.adminPlugins.install({
      params: { id },
      body: { granted: REQUEST_KINDS.filter((kind) => kind !== 'client'), credits: null, unsigned: true, ...change },
    });
  /** Installs a plugin of this code and waits until it runs. */
  const install = async (server: string, manifest: Partial<PluginManifest> = {}) => {
    await grant(await upload(packedPlugin({ permissions: ALL, ...manifest }, server)));
    await running();
  };
  const state = async (name = 'votes') =>
    (await staff.api.adminPlugins.list()).rows.find(({ identifier }) => identifier === name)?.installed?.state;
  const running = async (name = 'votes') => {
    await h.host.services.pluginRunning.sync();
    const untilMs = performance.now() + 120_000;
    while ((await state(name)) !== 'running') {
      if (performance.now() > untilMs) throw new Error(`it is ${await state(name)}`);
      await Bun.sleep(20);
    }
  };
  const details = async () => {
    const found = await staff.api.adminPlugins.get({ params: { identifier: 'votes' } });
    if (!found.details) throw new Error('it is built in');
    return { ...found, details: found.details };
  };
  const ask = async (name: string, q = '', who = h.guest) =>
    parsed((await who.pluginEndpoints.get({ params: { identifier: 'votes', name }, query: { q } })).answer);
  const tell = async (name: string, body: Record<string, unknown>, who = h.guest) =>
    parsed(
      (await who.pluginEndpoints.post({ params: { identifier: 'votes', name }, body: { input: JSON.stringify(body) } }))
        .answer,
    );
  /** Something happens: staff give credits. */
  const adjust = (userId: string, amount: number) =>
    h.db.uow.run((tx) =>
      h.host.services.events.emit(tx, 'credits.adjusted', {
        userId,
        adjustmentId: crypto.randomUUID(),
        amount,
        reason: 'a gift of the house',
      }),
    );
  /** How many events it has not heard. */
  const behind = () =>
    h.db.uow.read(async (tx) => {
      const [last, cursor] = [await tx.pluginPackages.lastEvent(), (await tx.pluginPackages.cursors()).get('votes')];
      return cursor && last - cursor.heard;
    });
  const pass = async (ms: number) => {
    h.clock.advance(ms);
    const now = h.clock.now();
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [now, now + 30 * DAY]);
    await h.host.services.webhooks.sweep();
    for (let round = 0; round < 5; round += 1) await h.host.runner.runDue();
  };

  describe('installing', () => {
    test('a package shows what it asks for before anything of it runs, and is granted kind by kind', async () => {
      const id = await upload(packedPlugin({ permissions: ALL, client: 'client.js' }, 'throw new Error("it ran")'));
      const { review } = await staff.api.adminPlugins.review({ params: { id } });
      expect(review).toMatchObject({ identifier: 'votes', signature: 'none', installed: null, author: 'blockwell' });
      expect(review.requests.map(({ kind, value, credits, new: isNew }) => [kind, value ?? credits, isNew])).toEqual([
        ['credits', 100, true],
        ['client', null, true],
        ['events', 'credits.*', true],
        ['events', 'user.renamed', true],
        ['reads', 'users', true],
        ['endpoints', null, true],
        ['storage', null, true],
        ['mail', null, true],
        ['notifications', null, true],
      ]);
      expect((await staff.api.adminPlugins.list()).rows.some(({ installed }) => installed)).toBe(false);
      await grant(id, { granted: ['credits', 'storage'], credits: 30 });
      expect((await details()).details.granted.map(({ kind, credits }) => [kind, credits])).toEqual([
        ['credits', 30],
        ['storage', null],
      ]);
      expect((await details()).details.granted_by).toBe(staff.username);
      expect(await codeOf(grant(id))).toBe('NOT_FOUND');
    });

    test('unsigned packages are installed only where that is said; keys are known from the first time on', async () => {
      expect(await codeOf(grant(await upload(packedPlugin()), { unsigned: false }))).toBe('VALIDATION_FAILED');
      const key = signingKey();
      const review = async (bytes: Uint8Array<ArrayBuffer>) => {
        const id = await upload(bytes);
        return (await staff.api.adminPlugins.review({ params: { id } })).review;
      };
      const first = await review(packedPlugin({}, undefined, key));
      expect(first.signature).toBe('new');
      await grant(first.id, { unsigned: false });
      expect((await review(packedPlugin({ version: '1.1.0' }, undefined, key))).signature).toBe('known');
      const other = await review(packedPlugin({ version: '1.1.0' }, undefined, signingKey()));
      expect(other.signature).toBe('other');
      expect(await codeOf(grant(other.id, { unsigned: false }))).toBe('VALIDATION_FAILED');
      expect((await review(packedPlugin({ version: '1.1.0' }))).signature).toBe('other');
    });

    test('an update asks again for what is new, and keeps settings, storage and whether it is on', async () => {
      const settings = { color: { type: 'text', default: 'red', max: 20 } } as const;
      const code = `export default { endpoints: {
        'POST /keep': async ({ input }, host) => host.storage.set('k', JSON.parse(input).value),
        'GET /kept': async (_, host) => ({ kept: await host.storage.get('k'), color: (await host.settings()).color, version: 1 }),
      } };`;
      await install(code, { permissions: { storage: true, endpoints: true }, settings });
      await tell('keep', { value: 7 });
      await staff.api.adminPlugins.configure({
        params: { identifier: 'votes' },
        body: { values: { color: 'blue' }, revision: 0 },
      });
      const next = packedPlugin(
        { version: '2.0.0', settings, permissions: { storage: true, endpoints: true, credits: 5 } },
        code.replace('version: 1', 'version: 2'),
      );
      const id = await upload(next);
      const { review } = await staff.api.adminPlugins.review({ params: { id } });
      expect([review.installed, review.requests.filter((each) => each.new).map(({ kind }) => kind)]).toEqual([
        '1.0.0',
        ['credits'],
      ]);
      expect(await ask('kept')).toEqual({ kept: 7, color: 'blue', version: 1 });
      await grant(id, { granted: ['storage', 'endpoints'] });
      await running();
      expect(await ask('kept')).toEqual({ kept: 7, color: 'blue', version: 2 });
      expect((await details()).details.granted.some(({ kind }) => kind === 'credits')).toBe(false);
    });

    test('a budget that staff lowered stays so at an update, also where that asks for more than before', async () => {
      const credits = async () => (await details()).details.granted[0]?.credits;
      const next = async (version: string, asked: number) => {
        const id = await upload(packedPlugin({ version, permissions: { credits: asked } }));
        const { review } = await staff.api.adminPlugins.review({ params: { id } });
        return { id, granted: review.granted_credits, isNew: review.requests[0]?.new };
      };
      const first = await next('1.0.0', 100);
      expect(first).toMatchObject({ granted: null, isNew: true });
      await grant(first.id, { granted: ['credits'], credits: 30 });
      const same = await next('1.1.0', 100);
      expect(same).toMatchObject({ granted: 30, isNew: false });
      await grant(same.id, { granted: ['credits'] });
      expect(await credits()).toBe(30);
      const more = await next('1.2.0', 200);
      expect(more).toMatchObject({ granted: 30, isNew: true });
      await grant(more.id, { granted: ['credits'] });
      expect(await credits()).toBe(30);
      await grant((await next('1.2.0', 200)).id, { granted: ['credits'], credits: 60 });
      expect(await credits()).toBe(60);
      await grant((await next('1.3.0', 20)).id, { granted: ['credits'] });
      expect(await credits()).toBe(20);
    });

    test('a later version is an update, the same one is installed again, and an older one is said to be older', async () => {
      const change = async (version: string) => {
        const id = await upload(packedPlugin({ version }));
        return (await staff.api.adminPlugins.review({ params: { id } })).review;
      };
      expect((await change('1.10.0')).change).toBe('install');
      await grant((await change('1.10.0')).id);
      expect(await change('1.11.0')).toMatchObject({ change: 'update', installed: '1.10.0' });
      expect(await change('1.10.0')).toMatchObject({ change: 'reinstall', installed: '1.10.0' });
      expect(await change('1.9.9')).toMatchObject({ change: 'downgrade', installed: '1.10.0' });
    });

    test('removing takes everything that it kept, but not what it paid today', async () => {
      await install(
        `export default { endpoints: { 'POST /go': async ({ input }, host) => {
          await host.storage.set('k', 1); return host.pay({ userId: JSON.parse(input).who, amount: 100, reference: JSON.parse(input).ref }); } } };`,
      );
      const ann = await h.person(`ann-${engine}-removal`);
      expect(await tell('go', { who: ann.id, ref: 'a' })).toBe('paid');
      await staff.api.adminPlugins.remove({ params: { identifier: 'votes' } });
      for (const table of [
        'plugin_storage',
        'plugin_packages',
        'plugin_modules',
        'plugin_cursors',
        'plugin_tasks',
        'plugins',
      ])
        expect([table, await h.db.sql(`SELECT * FROM ${table} WHERE identifier = ?`, ['votes'])]).toEqual([table, []]);
      await install(
        `export default { endpoints: { 'POST /go': ({ input }, host) => host.pay({ userId: JSON.parse(input).who, amount: 1, reference: JSON.parse(input).ref }) } };`,
      );
      expect(await tell('go', { who: ann.id, ref: 'a' })).toBe('before');
      expect(await tell('go', { who: ann.id, ref: 'b' })).toBe('spent');
      expect(await h.balance(ann.id)).toBe(100);
    });

    test('T48 what runs in browsers is granted by owners alone, and many credits a day as well', async () => {
      const id = await upload(packedPlugin({ client: 'client.js', permissions: { credits: 1_000_000 } }));
      expect(await codeOf(grant(id, { granted: ['client'] }))).toBe('PERMISSION_NOT_HELD');
      expect(await codeOf(grant(id, { granted: ['credits'] }))).toBe('APPROVAL_REQUIRED');
      await grant(id, { granted: ['client', 'credits'] }, owner);
      expect((await details()).details.granted.map(({ kind }) => kind)).toEqual(['credits', 'client']);
    });

    test('pages name the module for browsers of a plugin that is on and may run there, and nobody gets another', async () => {
      const code = 'export default { id: "votes", setup() {} };';
      const modules = async () => (await h.guest.system.settings()).custom.plugins;
      const install = async (granted: readonly string[]) =>
        grant(await upload(packedPlugin({ client: 'client.js' }, undefined, undefined, code)), { granted }, owner);
      await install([]);
      expect(await modules()).toEqual([]);
      expect((await h.http('/api/system/plugins/votes/client.js')).status).toBe(404);

      await install(['client']);
      const [address = ''] = await modules();
      expect(address).toMatch(/^\/api\/system\/plugins\/votes\/client\.js\?v=[0-9a-f]{20}$/);
      const answer = await h.http(address);
      expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
        'text/javascript; charset=utf-8',
        code,
      ]);
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect((await h.http('/api/system/plugins/votes/client.js?v=1')).headers.get('cache-control')).not.toContain(
        'immutable',
      );

      await owner.api.adminPlugins.setOn({ params: { identifier: 'votes' }, body: { on: false } });
      expect(await modules()).toEqual([]);
      expect((await h.http(address)).status).toBe(404);
      expect((await h.http('/api/system/plugins/nobody/client.js')).status).toBe(404);
    });

    test.each([
      ['no archive', () => new TextEncoder().encode('no archive')],
      ['an unknown event', () => packedPlugin({ permissions: { events: ['nothing.happened'] } })],
      ['an event that is nobody’s to hear', () => packedPlugin({ permissions: { events: ['webhook.disabled'] } })],
      ['a newer product', () => packedPlugin({ needs: '99.0.0' })],
      ['the name of a built-in plugin', () => packedPlugin({ identifier: 'welcome-gifts' })],
      ['a name in addresses', () => packedPlugin({ identifier: 'status' })],
      ['a path out of its folder', () => packedPlugin({ client: '../../client.js' })],
    ])('T46 a package with %s is refused at the field', async (_, bytes) => {
      expect(await codeOf(upload(new Uint8Array(bytes())))).toBe('VALIDATION_FAILED');
      expect(await h.db.sql("SELECT id FROM plugin_uploads WHERE manifest LIKE '%../%'")).toEqual([]);
    });

    test('two who install the same package at once install it once', async () => {
      const id = await upload(packedPlugin());
      const tally = await atOnce(8, () => grant(id));
      expect(tally).toEqual({ ok: 1, NOT_FOUND: 7 });
    });
  });

  describe('running', () => {
    const KEEP = `export default { events: { 'credits.adjusted': async (event, host) => {
      const list = (await host.storage.get('list')) ?? []; list.push(event.data.amount); await host.storage.set('list', list); } },
      endpoints: { 'GET /list': (_, host) => host.storage.get('list') } };`;

    test('events reach it in their order, with the declared fields and no others', async () => {
      await install(KEEP);
      for (let amount = 1; amount <= 120; amount += 1) await adjust('u1', amount);
      await pass(0);
      expect(await ask('list')).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
      expect(await behind()).toBe(0);
    });

    test('a plugin of an earlier version hears an event by the name that it had then, also where it is installed today', async () => {
      await install(
        `export default { events: { 'j4r.taken_back': async (event, host) => host.storage.set('seen', [event.type, event.data.amount]) },
          endpoints: { 'GET /seen': (_, host) => host.storage.get('seen') } };`,
        { permissions: { ...ALL, events: ['j4r.taken_back'] } },
      );
      expect((await details()).details.granted).toContainEqual({
        kind: 'events',
        value: 'j4r.clawed_back',
        credits: null,
      });
      const payload = { userId: 'u1', claimId: 'c1', server: 'Builders', amount: 7 };
      await h.db.uow.run((tx) => h.host.services.events.emit(tx, 'j4r.clawed_back', payload));
      await pass(0);
      expect(await ask('seen')).toEqual(['j4r.clawed_back', 7]);
    });

    test('an event whose hook throws is tried three times, the next ones wait for it, and are heard', async () => {
      await install(`export default { events: { 'credits.adjusted': async ({ data }, host) => {
        const tries = ((await host.storage.get('t' + data.amount)) ?? 0) + 1; await host.storage.set('t' + data.amount, tries);
        if (data.amount === 1) throw new Error('no'); } },
        endpoints: { 'GET /tries': async (_, host) => [await host.storage.get('t1'), await host.storage.get('t2')] } };`);
      await adjust('u1', 1);
      await adjust('u1', 2);
      await pass(0);
      expect(await ask('tries')).toEqual([1, null]);
      await pass(6000);
      await pass(2 * MINUTE);
      expect(await ask('tries')).toEqual([3, 1]);
      const { lines } = (await details()).details;
      expect(lines.filter(({ text }) => text === 'credits.adjusted: Error: no')).toHaveLength(3);
    });

    test('an update in the middle of a delivery loses nothing: the new version hears what the old one did not end', async () => {
      await install(`export default { events: { 'credits.adjusted': async (_, host) => {
        await host.storage.set('begun', 1); for (;;) await host.storage.get('k'); } } };`);
      await adjust('u1', 5);
      await h.host.services.webhooks.sweep();
      const feeding = pass(0);
      while ((await h.db.sql("SELECT name FROM plugin_storage WHERE name = 'begun'")).length === 0) await Bun.sleep(10);
      await grant(await upload(packedPlugin({ version: '1.0.1', permissions: ALL }, KEEP)));
      await running();
      await feeding;
      await pass(3000);
      expect(await ask('list')).toEqual([5]);
    });

    test('what happened while it was off, or before it was installed, is not its to hear', async () => {
      await adjust('u1', 1);
      await install(KEEP);
      await staff.api.adminPlugins.setOn({ params: { identifier: 'votes' }, body: { on: false } });
      await adjust('u1', 2);
      await pass(6000);
      await staff.api.adminPlugins.setOn({ params: { identifier: 'votes' }, body: { on: true } });
      await running();
      await adjust('u1', 3);
      await pass(0);
      expect(await ask('list')).toEqual([3]);
    });

    test('a flood of events ends at its bound: it is turned off, and staff are notified', async () => {
      const notified = async () =>
        (await h.db.uow.read((tx) => tx.notifications.latest(staff.id, 100))).filter(
          ({ kind }) => kind === 'pluginStopped',
        ).length;
      const before = await notified();
      await install(KEEP);
      // Far behind, but for events that it does not hear: it stays.
      const flood = (name: string) =>
        h.db.uow.run(async (tx) => {
          for (let at = 0; at < EVENTS_MAX; at += 1000)
            await tx.pluginPackages.addEvents(Array.from({ length: 1000 }, () => ({ id: crypto.randomUUID(), name })));
        });
      await flood('user.renamed.not');
      await adjust('u1', 1);
      await pass(0);
      expect((await details()).plugin.on).toBe(true);
      await flood('credits.adjusted');
      await adjust('u1', 1);
      await pass(0);
      const { plugin } = await details();
      expect([plugin.on, plugin.installed?.stopped?.cause]).toEqual([false, 'backlog']);
      expect(await behind()).toBe(0);
      expect(await notified()).toBe(before + 1);
    });

    test('its tasks run by the clock, once each time, whatever was slept through', async () => {
      await install(
        `export default { tasks: { tick: async (_, host) => host.storage.set('n', ((await host.storage.get('n')) ?? 0) + 1) },
          endpoints: { 'GET /n': (_, host) => host.storage.get('n') } };`,
        { tasks: { tick: 10 } },
      );
      await h.drainJobs();
      await h.db.sql('UPDATE plugin_tasks SET next_ms = 0 RETURNING name');
      await pass(MINUTE);
      await h.drainJobs();
      const before = Number(await ask('n'));
      await pass(DAY);
      await h.drainJobs();
      expect(Number(await ask('n'))).toBe(before + 1);
    });
  });

  describe('what it is granted', () => {
    test('fifty payments at once pay each reference once and never more than the budget of the day', async () => {
      await install(
        `export default { endpoints: { 'POST /pay': ({ input }, host) => host.pay({ userId: JSON.parse(input).who, amount: 10, reference: JSON.parse(input).ref }) } };`,
      );
      const ann = await h.person(`ann-${engine}-pay`);
      const states = await Promise.all(
        Array.from({ length: 50 }, (_, index) => tell('pay', { who: ann.id, ref: `vote:${index % 25}` })),
      );
      expect(await h.balance(ann.id)).toBe(100);
      expect(states.filter((each) => each === 'paid')).toHaveLength(10);
      expect(await tell('pay', { who: 'nobody', ref: 'x' })).toBe('unknown');
      h.clock.advance(DAY);
      expect(await tell('pay', { who: ann.id, ref: 'vote:99' })).toBe('paid');
    });

    test('it notifies a user once a key, and reads what it was granted', async () => {
      await install(
        `export default { endpoints: {
          'POST /say': ({ input }, host) => host.notify({ userId: JSON.parse(input).who, text: 'Vote again', key: 'today' }),
          'GET /who': async ({ userId }, host) => userId && (await host.read.user(userId)).username,
          'GET /server': ({ input: q }, host) => host.read.server(q).catch((error) => error.message),
        } };`,
      );
      const ben = await h.person(`ben-${engine}`);
      for (let time = 0; time < 3; time += 1) expect(await tell('say', { who: ben.id })).toBe(true);
      expect(await tell('say', { who: 'nobody' })).toBe(false);
      const told = await h.db.uow.read((tx) => tx.notifications.latest(ben.id, 5));
      expect(told).toMatchObject([{ kind: 'pluginMessage', data: { name: 'Vote rewards', text: 'Vote again' } }]);
      expect(await ask('who', '', ben.api)).toBe(`ben-${engine}`);
      expect(await ask('who')).toBeNull();
      expect(await ask('server', 's1')).toBe('NOT_GRANTED');
    });

    test('two processes that run it hear every event, and pay none twice, also where both work on the same calls', async () => {
      const other = await openHost({
        config: { ...readConfig({ DATA_DIR: h.dataDir }), appUrl: 'https://panel.example.com' },
        log: h.log,
        clock: h.clock,
        ids: { ...testIds(), uuid: () => crypto.randomUUID() },
        sample: false,
        bus: h.db.bus,
        database: h.db.database,
        key: TEST_KEY,
        passwords: thriftyPasswords(),
        spawnSandbox,
        spawnPackageReading,
      });
      try {
        await install(`export default { events: { 'credits.adjusted': (event, host) =>
          host.pay({ userId: event.data.userId, amount: 1, reference: 'event:' + event.id }) } };`);
        const { pluginRunning: second } = other.services;
        await other.services.plugins.load();
        await second.sync();
        while (second.stateOf('votes') !== 'running') await Bun.sleep(20);
        const eve = await h.person(`eve-${engine}`);
        for (let amount = 1; amount <= 20; amount += 1) await adjust(eve.id, amount);
        await h.host.services.webhooks.sweep();
        await h.host.runner.runDue({ kind: 'webhooks.dispatch' });
        // As after a lost lease: nobody knows of the other.
        const feed = (host: Host) =>
          host.services.jobs['plugins.feed']?.handle({ identifier: 'votes' }, undefined as never);
        await Promise.all([feed(h.host), feed(other)]);
        await Promise.all([h.host.runner.runDue(), other.runner.runDue()]);
        await pass(10_000);
        expect(await h.balance(eve.id)).toBe(20);
        expect(await behind()).toBe(0);
      } finally {
        await other.services.pluginRunning.stop();
      }
    });

    test('it writes e-mails in the host’s layout, once a key, to whoever wants them, and a thousand a day', async () => {
      await install(
        `export default { endpoints: { 'POST /write': ({ input }, host) => {
          const { who, key } = JSON.parse(input);
          return host.mail({ userId: who, subject: 'You won {{code}}', text: '<b>Thanks</b>\\nfor voting', key });
        } } };`,
      );
      const eva = await h.person(`eva-${engine}`);
      for (let time = 0; time < 3; time += 1) expect(await tell('write', { who: eva.id, key: 'vote:1' })).toBe('taken');
      expect(await tell('write', { who: 'nobody', key: 'vote:1' })).toBe('unknown');
      const mails = () =>
        h.db.sql<{ subject: string; html: string; text: string }>(
          "SELECT subject, html, text FROM mails WHERE template = 'pluginMail' AND user_id = ?",
          [eva.id],
        );
      const [mail, ...more] = await mails();
      expect(more).toEqual([]);
      // Its words are words: no markup, and no variables of the host's.
      expect(mail?.subject).toBe('You won {{code}}');
      expect(mail?.html).toContain('&lt;b&gt;Thanks&lt;/b&gt;');
      expect(mail?.text).toContain('The plugin Vote rewards sent this');
      const settings = await eva.api.notifications.settings();
      const ways = Object.fromEntries(settings.ways.map(({ subject, mail: way }) => [subject, way]));
      expect(ways.pluginMails).toBe('now');
      await h.db.uow.run((tx) =>
        tx.notifications.putChoices(
          eva.id,
          { choices: { pluginMails: { app: true, mail: 'off', push: false } }, digestHour: 8, quiet: null },
          h.clock.now(),
        ),
      );
      expect(await tell('write', { who: eva.id, key: 'vote:2' })).toBe('taken');
      expect(await mails()).toHaveLength(1);
      await h.db.sql("UPDATE plugin_budgets SET credits = 1000 WHERE identifier = 'votes:mail' RETURNING day");
      expect(await tell('write', { who: eva.id, key: 'vote:3' })).toBe('spent');
    });

    test('T48 it finds nothing of another plugin, and keeps no more than it may', async () => {
      const code = `export default { endpoints: {
        'POST /set': ({ input }, host) => host.storage.set(JSON.parse(input).key, JSON.parse(input).value).catch((error) => error.message),
        'GET /get': ({ input: q }, host) => host.storage.get(q),
        'GET /list': ({ input: q }, host) => host.storage.list(q),
        'GET /fill': async ({ input: from }, host) => { for (let n = Number(from); n < Number(from) + 10; n += 1) try { await host.storage.set('fill' + n, 'x'.repeat(99000)); } catch (error) { return [n, error.message]; } },
      } };`;
      await grant(await upload(packedPlugin({ identifier: 'other', permissions: ALL }, code)));
      await install(code);
      await tell('set', { key: 'mine', value: 1 });
      const other = (name: string, q: string) =>
        h.guest.pluginEndpoints
          .get({ params: { identifier: 'other', name }, query: { q } })
          .then(({ answer }) => parsed(answer));
      await running('other');
      expect(await other('list', '')).toEqual([]);
      expect(await other('get', 'mine')).toBeNull();
      expect(await ask('list')).toEqual(['mine']);
      expect(await tell('set', { key: "x' OR 1=1 --", value: 1 })).toBe('BAD_QUESTION');
      // A call may compute only so long: ten values each.
      for (const from of [0, 10, 20, 30, 40]) expect(await ask('fill', String(from))).toBeNull();
      expect(await ask('fill', '50')).toEqual([50, 'TOO_MUCH']);
      expect(await tell('set', { key: 'mine', value: null })).toBeNull();
    });

    test('T44 it connects to no host but those it was granted, and never to this machine', async () => {
      await install(
        `export default { endpoints: { 'GET /go': ({ input: q }, host) => host.fetch(q).then(() => 'got', (error) => error.message) } };`,
        { permissions: { endpoints: true, hosts: ['localhost.localdomain'] } },
      );
      expect(await ask('go', 'https://other.example/')).toBe('NOT_GRANTED');
      expect(await ask('go', 'https://127.0.0.1/')).toBe('NOT_GRANTED');
      expect(await ask('go', 'https://localhost.localdomain/')).toBe('NO_ANSWER');
    });

    const SQL = [
      `x'); DROP TABLE users; --`,
      `' OR '1'='1`,
      '%',
      '_',
      String.raw`\'; SELECT 1; --`,
      '$1 ? :a @a {"$ne":null}',
    ];

    test('T53 SQL, wildcards and markup in its manifest, its settings and what it keeps are words', async () => {
      const users = async () => (await h.db.sql<{ n: number }>('SELECT COUNT(*) AS n FROM users'))[0]?.n;
      const before = await users();
      const code = `export default { endpoints: {
        'POST /set': async ({ input }, host) => { for (const [key, value] of Object.entries(JSON.parse(input))) await host.storage.set(key, value); },
        'GET /get': ({ input: key }, host) => host.storage.get(key),
        'GET /list': ({ input: prefix }, host) => host.storage.list(prefix).catch((error) => error.message),
        'GET /settings': (_, host) => host.settings() } };`;
      await install(code, {
        name: `Robert'); DROP TABLE plugins; --`,
        text: `<script>alert(1)</script> ' OR '1'='1`,
        settings: { words: { type: 'text', default: SQL[0] ?? '', max: 500 }, token: { type: 'secret', max: 500 } },
        texts: { en: { 'settings.words.label': SQL[1] ?? '' } },
      });
      expect((await details()).plugin.installed?.name).toBe(`Robert'); DROP TABLE plugins; --`);
      expect(await ask('settings')).toEqual({ words: SQL[0], token: '' });
      for (const [revision, words] of SQL.entries()) {
        const body = { values: { words, token: words }, revision };
        await staff.api.adminPlugins.configure({ params: { identifier: 'votes' }, body });
        expect(await ask('settings')).toEqual({ words, token: words });
        await tell('set', { ['k' + revision]: words });
        expect(await ask('get', 'k' + revision)).toBe(words);
      }
      const names = SQL.map((_, at) => 'k' + at);
      expect(await ask('list', 'k')).toEqual(names);
      // A beginning is compared letter by letter: no sign stands for others.
      for (const prefix of ['_', '_1']) expect(await ask('list', prefix)).toEqual([]);
      for (const prefix of ['%', "k' OR '1'='1", 'k?', '[k]']) expect(await ask('list', prefix)).toBe('BAD_QUESTION');
      expect(await users()).toBe(before);
    });

    test('T53 what it asks for by an id, a reference or a key is compared whole, and never read as a question', async () => {
      await install(`export default { endpoints: { 'POST /go': async ({ input }, host) => {
        const { what, value, who } = JSON.parse(input);
        const ask = { user: () => host.read.user(value), pay: () => host.pay({ userId: who, amount: 1, reference: value }),
          paid: () => host.pay({ userId: value, amount: 1, reference: 'r' }), notify: () => host.notify({ userId: who, text: 't', key: value }),
          say: () => host.notify({ userId: who, text: value, key: 'said' }) };
        return ask[what]().catch((error) => error.message); } } };`);
      const kim = await h.person(`kim-${engine}`);
      for (const value of [...SQL, kim.id.replace(/.$/, '_'), kim.id.replace(/.$/, '%')]) {
        expect([null, 'BAD_QUESTION']).toContain((await tell('go', { what: 'user', value })) as null);
        expect(['unknown', 'BAD_QUESTION']).toContain((await tell('go', { what: 'paid', value })) as string);
      }
      for (const value of SQL.filter((each) => each !== '_'))
        for (const what of ['pay', 'notify'])
          expect([what, value, await tell('go', { what, value, who: kim.id })]).toEqual([what, value, 'BAD_QUESTION']);
      expect(await h.balance(kim.id)).toBe(0);
      expect(await tell('go', { what: 'say', value: SQL[0], who: kim.id })).toBe(true);
      await pass(0);
      const [notice] = await h.db.uow.read((tx) => tx.notifications.latest(kim.id, 5));
      expect(JSON.stringify(notice)).toContain(`x'); DROP TABLE users; --`);
    });

    test('T46 T53 names that every object has, paths and SQL are no plugin, no hook, no setting and no file', async () => {
      await install(`export default { endpoints: { 'GET /a': () => 1 } };`);
      for (const name of [
        'constructor',
        'toString',
        '__proto__',
        'hasOwnProperty',
        '..',
        '.',
        "a'--",
        'a%2f..%2fa',
        'GET%20%2Fa',
      ]) {
        for (const path of [
          `/api/plugin/votes/${name}`,
          `/api/plugin/${name}/a`,
          `/api/admin/plugins/${name}`,
          `/plugin/${name}/module.js`,
        ]) {
          const response = await h.http(path, { headers: { Cookie: `__Host-spawnpoint=${staff.secret}` } });
          expect([path, [400, 404, 422].includes(response.status)]).toEqual([path, true]);
        }
      }
      const set = (key: string) =>
        staff.api.adminPlugins.configure({
          params: { identifier: 'votes' },
          body: { values: Object.fromEntries([[key, 'x']]), revision: 0 },
        });
      for (const key of ['constructor', 'toString', "words'--"])
        expect([key, await codeOf(set(key))]).toEqual([key, 'VALIDATION_FAILED']);
      // No reader of JSON takes this one over: nothing changes.
      await set('__proto__');
      expect((await details()).values).toEqual({});
      expect(await ask('a')).toBe(1);
    });

    test('secrets among its settings are sealed at rest, and only it gets them in clear', async () => {
      await install(
        `export default { endpoints: { 'GET /length': async (_, host) => (await host.settings()).token.length } };`,
        { settings: { token: { type: 'secret', max: 100 } } },
      );
      await staff.api.adminPlugins.configure({
        params: { identifier: 'votes' },
        body: { values: { token: 'open sesame' }, revision: 0 },
      });
      expect(await ask('length')).toBe(11);
      const found = await details();
      expect([JSON.stringify(found).includes('sesame'), found.secrets]).toEqual([false, { token: true }]);
      expect(JSON.stringify(await h.db.sql('SELECT * FROM plugins'))).not.toContain('sesame');
    });
  });

  describe('a hostile one', () => {
    test.each([
      ['loops for ever', 'for (;;);'],
      ['eats memory', "const all = []; for (;;) all.push('x'.repeat(1 << 20) + all.length);"],
      ['throws', "throw new Error('no');"],
      ['answers ten megabytes', "return 'x'.repeat(10_000_000);"],
      ['never answers', 'return new Promise(() => undefined);'],
    ])('that %s gets a coded error, and the product answers meanwhile', async (name, body) => {
      await install(`export default { endpoints: { 'GET /bad': () => { ${body} } } };`);
      const asked = name === 'never answers' ? null : codeOf(ask('bad'));
      expect((await h.http('/healthz')).status).toBe(200);
      expect(await codeOf(staff.api.adminPlugins.list())).toBeNull();
      if (asked) expect(await asked).toBe('PLUGIN_FAILED');
    });

    test('that breaks down five times in a row is turned off, staff are notified, and nothing else happens', async () => {
      await grant(await upload(packedPlugin({ permissions: ALL }, 'for (;;);')));
      await h.host.services.pluginRunning.sync();
      while ((await state()) !== 'waiting') await Bun.sleep(20);
      expect((await details()).details.lines.length).toBeGreaterThan(0);
      const stopped = await h.db.uow.run(async (tx) => {
        const { stopPlugin } = await import('#server/modules/plugins/stopping.ts');
        const deps = { clock: h.clock, events: h.host.services.events };
        await stopPlugin(tx, deps, 'votes', 'faults', 'it took\u0000 too long');
        await stopPlugin(tx, deps, 'votes', 'faults', 'again');
        return tx.pluginPackages.find('votes');
      });
      expect(stopped?.stopped).toMatchObject({ cause: 'faults', text: 'it took  too long' });
      await h.host.services.plugins.load();
      await h.host.services.pluginRunning.sync();
      expect(await state()).toBeNull();
      expect((await details()).plugin.on).toBe(false);
    });

    test('a plugin whose module breaks five times is turned off, and staff are notified', async () => {
      await grant(await upload(packedPlugin({ permissions: ALL }, 'throw new Error("no gears");')));
      const { services } = h.host;
      const pauses: number[] = [];
      const engine = {
        start: ({ code, granted, ports, onOff, onState }: Parameters<PluginEngine['start']>[0]) => {
          const plugin = supervise({
            spawn: spawnSandbox,
            code,
            ask: createGranted(granted, ports),
            now: h.clock.now,
            later: (ms, run) => {
              pauses.push(ms);
              const timer = setTimeout(run, 0);
              return () => clearTimeout(timer);
            },
            onFault: ports.log,
            onOff,
            onState,
          });
          void plugin.start();
          return plugin;
        },
      };
      // As the product runs it, but for the minutes between two starts.
      const running = createRunning({
        ...services,
        clock: h.clock,
        log: createLog('silent', h.clock.now),
        registry: services.plugins,
        engine,
        bus: h.db.bus,
        later: (_: number, run: () => void) => void setTimeout(run, 0),
      } as never);
      const published = { state: 0, plugins: 0 };
      h.db.bus.subscribe(RUNNING_TOPIC, () => (published.state += 1));
      await running.sync();
      h.db.bus.subscribe(PLUGINS_TOPIC, () => (published.plugins += 1));
      const stopped = () => h.db.uow.read(async (tx) => (await tx.pluginPackages.find('votes'))?.stopped ?? null);
      while ((await stopped()) === null) await Bun.sleep(20);
      expect(pauses).toEqual([1000, 5000, 30_000, 120_000]);
      expect(await stopped()).toMatchObject({ cause: 'faults', text: expect.stringContaining('no gears') });
      expect([running.linesOf('votes').length, running.faultsOf('votes')]).toEqual([5, 5]);
      // What pages follow: how it did meanwhile, and that it was turned off.
      expect(published.state).toBeGreaterThan(0);
      expect(published.plugins).toBeGreaterThan(0);
      await services.plugins.load();
      expect((await details()).plugin.on).toBe(false);
      await pass(0);
      const notices = await h.db.uow.read((tx) => tx.notifications.latest(staff.id, 5));
      expect(notices.some(({ kind }) => kind === 'pluginStopped')).toBe(true);
      await running.stop();
    });

    test('endpoints that it does not have, was not granted, or with too much sent to them are refused with a code', async () => {
      await install(`export default { endpoints: { 'GET /a': () => 1 } };`, { permissions: {} });
      expect(await codeOf(ask('a'))).toBe('NOT_FOUND');
      await install(`export default { endpoints: { 'POST /a': () => 1 } };`, { permissions: { endpoints: true } });
      expect(await codeOf(ask('b'))).toBe('NOT_FOUND');
      expect(await codeOf(tell('__proto__', {}))).toBe('NOT_FOUND');
      expect(await codeOf(tell('a', { text: 'x'.repeat(70_000) }))).toBe('VALIDATION_FAILED');
      // What is no JSON says nothing.
      await install(`export default { endpoints: { 'GET /a': () => () => 1 } };`, { permissions: { endpoints: true } });
      expect(await ask('a')).toBeNull();
      expect(await codeOf(h.guest.pluginEndpoints.get({ params: { identifier: 'nobody', name: 'a' } }))).toBe(
        'NOT_FOUND',
      );
    });
  });
});

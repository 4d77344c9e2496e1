import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { openHost, type Host } from '#server/compose/host.ts';
import { readConfig } from '#server/env.ts';
import { DAY } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { testIds } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Harness, Person } from '#tests/support/harness.ts';
import { thriftyPasswords } from '#tests/support/passwords.ts';
import { ALL, parsed, usePluginHost } from '#tests/support/plugin-host.ts';
import { packedPlugin, spawnPackageReading, spawnSandbox } from '#tests/support/plugin-packages.ts';
import { TEST_KEY } from '#tests/support/sealing.ts';

// Shows behaviour 8.8 for plugins of others.

setDefaultTimeout(300_000);

describe.each(ENGINES)('what a plugin of others is granted on %s', (engine) => {
  const { upload, grant, install, running, details, ask, tell, adjust, behind, pass, opened } = usePluginHost(engine);
  let h: Harness;
  let staff: Person;
  beforeAll(() => void ({ h, staff } = opened()));

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

import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import type { Harness, Person } from '#tests/support/harness.ts';
import { ALL, usePluginHost } from '#tests/support/plugin-host.ts';
import { packedPlugin, signingKey } from '#tests/support/plugin-packages.ts';

// Shows behaviour 8.8 for plugins of others.

setDefaultTimeout(300_000);

describe.each(ENGINES)('installing a plugin of others on %s', (engine) => {
  const { upload, grant, install, running, details, ask, tell, opened } = usePluginHost(engine);
  let h: Harness;
  let staff: Person;
  let owner: Person;
  beforeAll(() => void ({ h, staff, owner } = opened()));

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
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/javascript; charset=utf-8', code]);
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

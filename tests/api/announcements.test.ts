import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AnnouncementInput } from '#shared/schemas/announcement.ts';
import { pictureUrl } from '#shared/picture-url.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { listen } from '#tests/support/call.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';

// Shows behaviour 7.4.

setDefaultTimeout(300_000);

describe.each(ENGINES)('announcements on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', {
      permissions: [
        'admin.announcements.list',
        'admin.announcements.create',
        'admin.announcements.edit',
        'admin.announcements.delete',
      ],
    });
  });
  afterAll(() => h.close());
  afterEach(() => h.db.sql('DELETE FROM announcements WHERE seen >= 0 RETURNING id', []));

  const player = () => h.person(`reader${(made += 1)}`);
  const text = (title: string, body = 'Soon.') => ({ locale: 'en' as const, title, summary: `About ${title}`, body });
  const input = (change: Partial<AnnouncementInput> = {}): AnnouncementInput => ({
    texts: [text('Faster disks')],
    tags: [],
    picture: '',
    audience: 'everyone',
    targets: [],
    pinned: false,
    urgent: false,
    notifies: false,
    mails: true,
    pushes: true,
    publish_at: 'now',
    end_at: null,
    ...change,
  });
  const add = async (change: Partial<AnnouncementInput> = {}): Promise<string> => {
    h.clock.advance(1000);
    return (await staff.api.adminAnnouncements.create({ body: input(change) })).id;
  };
  const edit = (id: string) => staff.api.adminAnnouncements.get({ params: { id } });
  const save = (id: string, announcement: AnnouncementInput, revision: number) =>
    staff.api.adminAnnouncements.save({ params: { id }, body: { announcement, revision } });
  const board = (who: Person, query: object = {}) => who.api.announcements.list({ query });
  const titles = async (who: Person, query: object = {}) => (await board(who, query)).rows.map(({ title }) => title);
  const read = (who: Person, id: string) => who.api.announcements.get({ params: { id } });
  const standing = async (who: Person) => (await who.api.session.get()).announcements;
  const publish = () => h.host.services.tasks.find(({ name }) => name === 'announcements.publish')?.run();
  /** Sessions outlive the weeks that pass. */
  const pass = async (ms: number) => {
    h.clock.advance(ms);
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [
      h.clock.now(),
      h.clock.now() + 30 * DAY,
    ]);
  };

  test('a published one stands on the board, with its text as HTML; a draft does not', async () => {
    const mirela = await player();
    const draft = await add({ texts: [text('A draft')], publish_at: null });
    const id = await add({
      texts: [text('Faster disks', '## What\n**04:00** <script>alert(1)</script>')],
      tags: ['Maintenance'],
    });
    expect(await codeOf(read(mirela, draft))).toBe('NOT_FOUND');
    const { rows, tags, unread } = await board(mirela);
    expect(rows.map(({ title, is_new: isNew }) => [title, isNew])).toEqual([['Faster disks', true]]);
    expect([tags, unread]).toEqual([['Maintenance'], 1]);
    expect(await read(mirela, id)).toMatchObject({
      title: 'Faster disks',
      author: 'oana',
      tags: ['Maintenance'],
      html: '<h2 id="section-1">What</h2><p><strong>04:00</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>',
      minutes: 1,
      reactions: [],
    });
    expect(await titles(mirela, { tag: 'Maintenance' })).toEqual(['Faster disks']);
    expect(await titles(mirela, { tag: 'Events' })).toEqual([]);
  });

  test('a planned one appears at its time and goes at its end, by the clock', async () => {
    const mirela = await player();
    const nowMs = h.clock.now();
    const id = await add({ publish_at: iso(nowMs + HOUR), end_at: iso(nowMs + 2 * HOUR) });
    expect((await edit(id)).state).toBe('scheduled');
    expect(await titles(mirela)).toEqual([]);
    h.clock.advance(HOUR);
    await publish();
    expect(await titles(mirela)).toEqual(['Faster disks']);
    expect([await standing(mirela), (await edit(id)).state]).toEqual([{ unread: 1, urgent: [] }, 'published']);
    h.clock.advance(HOUR);
    expect([await titles(mirela), (await edit(id)).state]).toEqual([[], 'ended']);
    expect(await codeOf(add({ publish_at: iso(nowMs + 2), end_at: iso(nowMs + 1) }))).toBe('VALIDATION_FAILED');
  });

  test('what somebody has read is unread no more, for them alone, and so is all of it when they say so', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const first = await add({ texts: [text('First')] });
    await add({ texts: [text('Second')] });
    expect((await standing(mirela))?.unread).toBe(2);
    const marks = await atOnce(4, () => mirela.api.announcements.markRead({ params: { id: first } }));
    expect(marks).toEqual({ ok: 4 });
    expect([(await standing(mirela))?.unread, (await edit(first)).seen]).toEqual([1, 1]);
    expect(await titles(mirela, { unread: '1' })).toEqual(['Second']);
    await mirela.api.announcements.markAllRead();
    expect([await standing(mirela), await titles(mirela, { unread: '1' })]).toEqual([undefined, []]);
    expect((await standing(tobi))?.unread).toBe(2);
    await add({ texts: [text('Third')] });
    expect([(await standing(mirela))?.unread, (await standing(tobi))?.unread]).toEqual([1, 3]);
    const late = await player();
    expect([await standing(late), await titles(late)]).toEqual([undefined, ['Third', 'Second', 'First']]);
  });

  test('an urgent one stands over every page until it is put away, also for those who came later', async () => {
    const mirela = await player();
    const line = await listen(h, mirela, '/api/events');
    const id = await add({ texts: [text('Frankfurt is down')], urgent: true });
    expect(await line.readLine()).toMatchObject({ event: 'session' });
    await line.leave();
    const banner = { id, title: 'Frankfurt is down', summary: 'About Frankfurt is down' };
    expect(await standing(mirela)).toEqual({ unread: 1, urgent: [banner] });
    const late = await player();
    expect(await standing(late)).toEqual({ unread: 0, urgent: [banner] });
    await mirela.api.announcements.markRead({ params: { id } });
    expect([await standing(mirela), (await standing(late))?.urgent]).toEqual([undefined, [banner]]);
  });

  test('T59 one for a role or for servers at a location is unknown to everybody else', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const boss = await h.person(`boss${(made += 1)}`, { permissions: ['admin.roles.list'] });
    const location = crypto.randomUUID();
    await h.db.sql(
      `INSERT INTO locations (id, name, description, code, address, slots, online, vip_only, position, created_ms, updated_ms, panel_id, panel_location, placement)
       VALUES (?, 'Helsinki', '', 'FI', '', 10, 1, 0, 0, 0, 0, NULL, NULL, 'spread') RETURNING id`,
      [location],
    );
    await h.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
       revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'Skyhold', '', ?, '', '', 256, 256, 5, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, 1, 1) RETURNING id`,
      [crypto.randomUUID(), mirela.id, location],
    );
    const forServers = await add({ texts: [text('Restart')], audience: 'locations', targets: [location] });
    const { roles } = await staff.api.adminAnnouncements.options();
    const role = roles.find(({ name }) => name === `role-${boss.username}`)?.id ?? '';
    const forRole = await add({ texts: [text('Meeting')], audience: 'roles', targets: [role], notifies: true });
    expect([await titles(mirela), await titles(tobi), await titles(boss)]).toEqual([['Restart'], [], ['Meeting']]);
    // Whose servers are there reads which of them it is about.
    const affected = async (who: Person) =>
      (await who.api.announcements.list({ query: {} })).rows.map(({ affects }) => affects);
    expect([await affected(mirela), await affected(boss)]).toEqual([[['Skyhold']], [[]]]);
    expect((await read(mirela, forServers)).affects).toEqual(['Skyhold']);
    expect([await standing(tobi), (await standing(boss))?.unread]).toEqual([undefined, 1]);
    for (const [who, id] of [
      [tobi, forServers],
      [tobi, forRole],
      [mirela, forRole],
    ] as const) {
      const params = { id };
      expect(await codeOf(read(who, id))).toBe('NOT_FOUND');
      expect(await codeOf(who.api.announcements.markRead({ params }))).toBe('NOT_FOUND');
      const body = { reaction: 'like' as const, on: true };
      expect(await codeOf(who.api.announcements.react({ params, body }))).toBe('NOT_FOUND');
    }
    await h.set({ announcements_public: true });
    expect((await h.guest.news.list({ query: {} })).rows).toEqual([]);
    expect(await codeOf(h.guest.news.get({ params: { id: forRole } }))).toBe('NOT_FOUND');
    await h.set({ announcements_public: false });
    await h.drainJobs();
    const heard = await Promise.all(
      [mirela, tobi, boss].map(async (who) => (await who.api.notifications.list()).unread),
    );
    expect(heard).toEqual([0, 0, 1]);
    expect(await codeOf(add({ audience: 'roles', targets: [location] }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(add({ audience: 'roles', targets: [] }))).toBe('VALIDATION_FAILED');
  });

  test('the audience hears of it in the bell once, however often it is published and whoever is killed', async () => {
    const mirela = await player();
    await h.db.sql("UPDATE users SET locale = 'de' WHERE id = ? RETURNING id", [mirela.id]);
    const german = { locale: 'de' as const, title: 'Schnellere Platten', summary: '', body: 'Bald.' };
    const id = await add({
      texts: [text('Faster disks'), german],
      notifies: true,
      publish_at: iso(h.clock.now() + HOUR),
    });
    const news = async () =>
      (await mirela.api.notifications.list()).notifications.map(({ kind, data }) => [kind, data]);
    await h.drainJobs();
    expect(await news()).toEqual([]);
    h.clock.advance(2 * HOUR);
    await Promise.all([publish(), publish()]);
    await h.drainJobs();
    const once = [['announcementPublished', { title: 'Schnellere Platten', announcement: id }]];
    expect(await news()).toEqual(once);
    // The same job again, as after a process that was killed before it could say that it was done.
    await h.db.sql(
      "UPDATE jobs SET state = 'ready', lease_token = NULL, lease_until_ms = 0 WHERE kind = 'announcements.announce' RETURNING id",
      [],
    );
    await h.drainJobs();
    const { revision, ...data } = await edit(id);
    await save(id, input({ texts: data.texts, notifies: true, publish_at: null }), revision);
    await save(id, input({ texts: data.texts, notifies: true, publish_at: 'now' }), revision + 1);
    await h.drainJobs();
    expect(await news()).toEqual(once);
  });

  test('pinned ones stand above the first page, and pages follow each other without a gap', async () => {
    const mirela = await player();
    await add({ texts: [text('Pinned')], pinned: true });
    for (let n = 1; n <= 14; n += 1) await add({ texts: [text(`No. ${n}`)] });
    const first = await board(mirela);
    expect(first.pinned.map(({ title }) => title)).toEqual(['Pinned']);
    const second = await board(mirela, { before: first.older ?? '' });
    const all = [...first.rows, ...second.rows].map(({ title }) => title);
    expect(all).toEqual([...Array.from({ length: 14 }, (_, n) => `No. ${14 - n}`), 'Pinned']);
    expect([second.pinned, second.older]).toEqual([[], null]);
  });

  test('readers get their language, else that of the installation', async () => {
    const mirela = await player();
    const french = { locale: 'fr' as const, title: 'Des disques plus rapides', summary: '', body: 'Bientôt.' };
    const id = await add({ texts: [french, text('Faster disks')] });
    const other = await add({ texts: [french] });
    expect([(await read(mirela, id)).title, (await read(mirela, other)).locale]).toEqual(['Faster disks', 'fr']);
  });

  test('a reaction counts once a reader, also when it is clicked many times at once', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const id = await add();
    const react = (who: Person, on: boolean) =>
      who.api.announcements.react({ params: { id }, body: { reaction: 'party', on } });
    expect(await atOnce(5, () => react(mirela, true))).toEqual({ ok: 5 });
    expect((await react(tobi, true)).reactions).toEqual([{ reaction: 'party', count: 2, own: true }]);
    expect(await atOnce(5, () => react(mirela, false))).toEqual({ ok: 5 });
    expect((await read(mirela, id)).reactions).toEqual([{ reaction: 'party', count: 1, own: false }]);
    // With an account its reactions go, out of the count as well.
    const [own] = await h.db.sql('SELECT role_id AS role FROM users WHERE id = ?', [tobi.id]);
    const nobody = { username: 'nobody', email: 'nobody@invalid', roleId: String(own?.role) };
    await h.db.uow.run((tx) => tx.deletions.erase(tobi.id, nobody, h.clock.now()));
    expect((await read(mirela, id)).reactions).toEqual([]);
  });

  test('a change of two at once is refused to one, and what it said before can be brought back', async () => {
    const id = await add();
    const changes = [text('Slower disks'), text('No disks')].map((each) => input({ texts: [each] }));
    expect(await atOnce(2, (n) => save(id, nth(changes, n), 1))).toEqual({ ok: 1, CONFLICT: 1 });
    const now = await edit(id);
    expect(now.revisions.map(({ revision, author }) => [revision, author])).toEqual([
      [2, 'oana'],
      [1, 'oana'],
    ]);
    const back = { params: { id }, body: { restores: 1, revision: 2 } };
    expect(await staff.api.adminAnnouncements.restore(back)).toMatchObject({ revision: 3 });
    expect(await edit(id)).toMatchObject({ title: 'Faster disks', state: 'published', revision: 3 });
    expect(await codeOf(staff.api.adminAnnouncements.restore(back))).toBe('CONFLICT');
    const unknown = { params: { id }, body: { restores: 9, revision: 3 } };
    expect(await codeOf(staff.api.adminAnnouncements.restore(unknown))).toBe('NOT_FOUND');
    await staff.api.adminAnnouncements.remove({ params: { id } });
    expect([await codeOf(edit(id)), (await staff.api.adminAnnouncements.list({ query: {} })).rows]).toEqual([
      'NOT_FOUND',
      [],
    ]);
    for (const table of ['texts', 'tags', 'targets', 'pictures', 'revisions', 'reads', 'reactions'])
      expect(await h.db.sql(`SELECT 1 FROM announcement_${table} WHERE announcement_id = ?`, [id])).toEqual([]);
  });

  test('T41 T42 pictures of the installation stand in a text, and nothing else does', async () => {
    const mirela = await player();
    const { id: picture } = await staff.api.adminAnnouncements.addPicture({ body: pngOf(300, 100) });
    const own = `![Before "and" after](${pictureUrl(picture, 'wide')})`;
    const foreign =
      '![x](https://evil.example/a.png) ![y](javascript:alert(1)) ![z](/api/system/pictures/../../auth/logout)';
    const id = await add({ picture, texts: [text('Disks', `${own}\n\n${foreign}`)] });
    expect((await read(mirela, id)).html).toBe(
      `<p><img src="${pictureUrl(picture, 'wide')}" srcset="${pictureUrl(picture, 'wide')} 300w, ${pictureUrl(picture, 'card')} 300w" ` +
        'sizes="(max-width: 767px) 92vw, 46rem" width="300" height="100" ' +
        'alt="Before &quot;and&quot; after" loading="lazy"></p><p>x y z</p>',
    );
    const shown = await h.http(pictureUrl(picture, 'link'));
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(await codeOf(add({ picture: 'f'.repeat(32) }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(mirela.api.adminAnnouncements.addPicture({ body: pngOf(30) }))).toBe('FORBIDDEN');
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>');
    expect(await codeOf(staff.api.adminAnnouncements.addPicture({ body: svg }))).toBe('VALIDATION_FAILED');
    // Others that nobody names come and go; this one is named.
    const admin = await h.person(`admin${(made += 1)}`, { permissions: ['admin.settings.edit'] });
    await pass(61 * DAY);
    await admin.api.adminPictures.add({ params: { kind: 'logo' }, body: pngOf(64) });
    expect((await h.http(pictureUrl(picture, 'card'))).status).toBe(200);
  });

  test('visitors read what is for everybody where the host wants that, and nothing where not', async () => {
    const id = await add({ texts: [text('Winter & "contest"', 'Win **10,000** <b>credits</b>.')], tags: ['Event'] });
    for (const path of ['/api/news', `/api/news/${id}`, '/api/news/feed.atom'])
      expect([path, (await h.http(path)).status]).toEqual([path, 404]);
    await h.set({ announcements_public: true });
    expect((await h.guest.news.list({ query: {} })).rows.map(({ title }) => title)).toEqual(['Winter & "contest"']);
    expect(await h.guest.news.get({ params: { id } })).toMatchObject({ title: 'Winter & "contest"', minutes: 1 });
    const feed = await h.http('/api/news/feed.atom');
    expect([feed.status, feed.headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    const xml = await feed.text();
    expect(xml).toContain('<title>Winter &amp; &quot;contest&quot;</title>');
    expect(xml).toContain(`<link rel="alternate" type="text/html" href="https://panel.example.com/news/${id}"/>`);
    expect(xml).toContain('&lt;strong&gt;10,000&lt;/strong&gt; &amp;lt;b&amp;gt;credits&amp;lt;/b&amp;gt;.');
    await h.set({ announcements_public: false });
  });

  test('T61 every command of staff asks for its own right', async () => {
    const id = await add();
    const mirela = await player();
    const { adminAnnouncements: api } = mirela.api;
    const params = { id };
    for (const tried of [
      () => api.list({ query: {} }),
      () => api.options(),
      () => api.audience({ query: { audience: 'everyone' } }),
      () => api.create({ body: input() }),
      () => api.get({ params }),
      () => api.save({ params, body: { announcement: input(), revision: 1 } }),
      () => api.restore({ params, body: { restores: 1, revision: 1 } }),
      () => api.dependants({ params }),
      () => api.remove({ params }),
      () => api.preview({ body: { text: 'x' } }),
    ])
      expect(await codeOf(tried())).toBe('FORBIDDEN');
    h.clock.advance(MINUTE);
    expect((await staff.api.adminAnnouncements.list({ query: { state: 'published' } })).rows).toHaveLength(1);
    expect((await staff.api.adminAnnouncements.list({ query: { state: 'draft' } })).rows).toEqual([]);
  });

  test('staff see how many an audience is, find announcements again, and have a preview sent to themselves', async () => {
    const author = await h.person(`author${(made += 1)}`, {
      // Without the right to create: who edits chooses audiences too.
      permissions: ['admin.announcements.list', 'admin.announcements.edit'],
    });
    const reach = async (audience: 'everyone' | 'roles' | 'locations', targets = '') => {
      const { count, more } = await author.api.adminAnnouncements.audience({ query: { audience, targets } });
      return { count, more };
    };
    const users = await h.db.sql<{ n: number }>("SELECT COUNT(*) AS n FROM users WHERE status = 'active'", []);
    expect(await reach('everyone')).toEqual({ count: Number(users[0]?.n), more: false });
    const [role] = await h.db.sql<{ role_id: string }>('SELECT role_id FROM users WHERE id = ?', [author.id]);
    expect(await reach('roles', role?.role_id)).toEqual({ count: 1, more: false });
    expect([await reach('roles'), await reach('locations', 'nowhere')]).toEqual([
      { count: 0, more: false },
      { count: 0, more: false },
    ]);

    const disks = await add({ texts: [text('Faster disks 100%')], tags: ['Hardware'] });
    const members = await add({ texts: [text('For you')], audience: 'roles', targets: [role?.role_id ?? ''] });
    const found = async (query: object) =>
      (await author.api.adminAnnouncements.list({ query })).rows.map(({ id }) => id);
    expect([
      await found({}),
      await found({ q: '100%' }),
      await found({ q: 'hardWARE' }),
      await found({ q: '%' }),
      await found({ audience: 'roles' }),
      await found({ audience: 'roles', q: 'disks' }),
      await found({ q: 'for', state: 'draft' }),
    ]).toEqual([[members, disks], [disks], [disks], [disks], [members], [], []]);

    await author.api.adminAnnouncements.sendPreview({ params: { id: disks } });
    await author.api.adminAnnouncements.sendPreview({ params: { id: disks } });
    expect((await author.api.notifications.list()).notifications.map(({ kind, data }) => [kind, data])).toEqual(
      Array.from({ length: 2 }, () => ['announcementPreview', { title: 'Faster disks 100%', announcement: disks }]),
    );
    expect(await codeOf(author.api.adminAnnouncements.sendPreview({ params: { id: 'nothing' } }))).toBe('NOT_FOUND');
  });

  test('T52 an announcement is mailed and pushed only where it says so, and only to who chose that', async () => {
    const [mirela, ion] = [await player(), await player()];
    await mirela.api.notifications.saveSettings({
      body: {
        app: ['announcements'],
        mail: { announcements: 'now' },
        push: [],
        digest_hour: 8,
        quiet: false,
        quiet_from: 22,
        quiet_until: 8,
      },
    });
    const mails = async () =>
      Number(
        (await h.db.sql<{ n: number }>("SELECT COUNT(*) AS n FROM mails WHERE template = 'notification'", []))[0]?.n,
      );
    const heard = async (who: Person) =>
      (await who.api.notifications.list()).notifications.map(({ data }) => data.title);
    await add({ texts: [text('Quiet')], notifies: true, mails: false, pushes: false });
    await h.drainJobs();
    expect([await mails(), await heard(mirela), await heard(ion)]).toEqual([0, ['Quiet'], ['Quiet']]);
    await add({ texts: [text('Loud')], notifies: true, mails: true });
    await h.drainJobs();
    expect([await mails(), await heard(mirela), await heard(ion)]).toEqual([1, ['Loud', 'Quiet'], ['Loud', 'Quiet']]);
  });
});

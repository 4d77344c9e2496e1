import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { linkTarget } from '#shared/schemas/redirect-links.ts';
import { DAY } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.6.

describe.each(ENGINES)('redirect links of the host (%s)', (engine) => {
  let harness: Harness;
  let staff: Person;
  let player: Person;
  beforeEach(async () => {
    harness = await openHarness({ engine });
    staff = await harness.person('sue', {
      permissions: [
        'admin.redirect.links.list',
        'admin.redirect.links.create',
        'admin.redirect.links.edit',
        'admin.redirect.links.delete',
      ],
    });
    player = await harness.person('ann.k');
  });
  afterEach(() => harness.close());

  type Input = Parameters<Person['api']['adminRedirectLinks']['create']>[0]['body'];
  const add = (change: Partial<Input> = {}) =>
    staff.api.adminRedirectLinks.create({
      body: {
        name: 'Our Discord',
        slug: 'discord',
        target: 'https://discord.gg/moldova',
        note: '',
        audience: 'everyone',
        menu: 'community',
        icon: 'chat',
        position: 0,
        enabled: true,
        ...change,
      },
    });
  const follow = (who: Person['api'], slug = 'discord') => who.redirectLinks.follow({ params: { slug } });
  const clicksOf = async (id: string) => {
    const { days } = await staff.api.adminRedirectLinkDays.get({ params: { id } });
    expect(days).toHaveLength(30);
    return days.filter(({ clicks }) => clicks > 0).map(({ clicks }) => clicks);
  };

  test('two links cannot share an address, in whatever case it is typed', async () => {
    await add();
    expect(await codeOf(add({ name: 'Another', slug: ' Discord ' }))).toBe('VALIDATION_FAILED');
    expect((await staff.api.adminRedirectLinks.list({})).rows).toHaveLength(1);
  });

  test('a link leads to its address for everybody, and clicks are counted by day', async () => {
    const { id } = await add();
    expect(await follow(harness.guest)).toMatchObject({ url: 'https://discord.gg/moldova', asks: false });
    await follow(player.api);
    harness.clock.advance(DAY);
    await follow(staff.api);
    expect(await clicksOf(id)).toEqual([2, 1]);
    const { rows } = await staff.api.adminRedirectLinks.list({});
    expect(rows.map(({ clicks }) => clicks)).toEqual([3]);
    // Days before the last thirty are not shown.
    harness.clock.advance(28 * DAY);
    expect(await clicksOf(id)).toEqual([2, 1]);
    harness.clock.advance(DAY);
    expect(await clicksOf(id)).toEqual([1]);
  });

  test('many clicks at once are all counted', async () => {
    const { id } = await add();
    await Promise.all(Array.from({ length: 40 }, () => follow(player.api)));
    expect(await clicksOf(id)).toEqual([40]);
  });

  test('an unknown link, one that is off and one that is gone are not found, and nothing is counted', async () => {
    const { id } = await add({ enabled: false });
    for (const slug of ['discord', 'nothing', 'DISCORD', '..', "' OR 1=1"])
      expect({ slug, code: await codeOf(follow(player.api, slug)) }).toEqual({ slug, code: 'NOT_FOUND' });
    expect(await clicksOf(id)).toEqual([]);
    await staff.api.adminRedirectLinks.remove({ params: { id }, body: { name: 'Our Discord' } });
    expect(await codeOf(staff.api.adminRedirectLinkDays.get({ params: { id } }))).toBe('NOT_FOUND');
  });

  test('a link for players asks guests to log in, and one for staff does not exist for others', async () => {
    await add({ audience: 'players' });
    await add({ name: 'Rota', slug: 'rota', audience: 'staff' });
    expect(await codeOf(follow(harness.guest))).toBe('SESSION_EXPIRED');
    expect(await codeOf(follow(player.api))).toBeNull();
    expect(await codeOf(follow(harness.guest, 'rota'))).toBe('NOT_FOUND');
    expect(await codeOf(follow(player.api, 'rota'))).toBe('NOT_FOUND');
    expect(await codeOf(follow(staff.api, 'rota'))).toBeNull();
  });

  test('the setting has visitors asked before they leave the host, but not on the way to its own domain', async () => {
    await harness.set({ redirect_link_notice: true });
    await add();
    await add({ name: 'Wiki', slug: 'wiki', target: 'https://wiki.panel.example.com/start' });
    await add({ name: 'Alike', slug: 'alike', target: 'https://notpanel.example.com/' });
    expect(await follow(player.api)).toMatchObject({ host: 'discord.gg', asks: true });
    expect(await follow(player.api, 'wiki')).toMatchObject({ asks: false });
    expect(await follow(player.api, 'alike')).toMatchObject({ asks: true });
  });

  test('the menu follows what staff change: its links by audience, in their order', async () => {
    const menu = async ({ api }: Person) => (await api.session.get()).menu?.map(({ slug }) => slug);
    expect(await menu(player)).toBeUndefined();
    await add({ position: 2 });
    await add({ name: 'Rota', slug: 'rota', audience: 'staff', position: 1 });
    await add({ name: 'Quiet', slug: 'quiet', menu: 'none' });
    const { id } = await add({ name: 'Shop', slug: 'shop', menu: 'spend', position: 3 });
    expect(await menu(player)).toEqual(['discord', 'shop']);
    expect(await menu(staff)).toEqual(['rota', 'discord', 'shop']);
    await staff.api.adminRedirectLinks.setEnabled({ body: { ids: [id], enabled: false } });
    expect(await menu(player)).toEqual(['discord']);
  });
});

test('T45 a link leads to http and https only, and never carries a name and password', () => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example',
    '//a.example',
    'a.example',
    'https://a:b@c.example',
  ])
    expect({ text, target: linkTarget(text) }).toEqual({ text, target: null });
  expect(linkTarget(' HTTPS://Example.org ')?.href).toBe('https://example.org/');
});

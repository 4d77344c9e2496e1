import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3: what staff see of all tickets.

setDefaultTimeout(300_000);

describe.each(ENGINES)('the inbox of staff on %s', (engine) => {
  let h: Harness;
  let technical: string;
  let billing: string;
  let oana: Person;
  let dan: Person;
  let owner: Person;
  let made = 0;
  const support = { permissions: ['admin.tickets.list', 'admin.tickets.view'] } as const;
  beforeAll(async () => {
    h = await openHarness({ engine });
    oana = await h.person('oana', support);
    dan = await h.person('dan', support);
    owner = await h.person('owner', { permissions: ['admin.root'] });
    technical = await addDepartment('Technical');
    billing = await addDepartment('Billing');
  });
  afterAll(() => h.close());

  const addDepartment = async (name: string) =>
    (
      await owner.api.adminDepartments.create({
        body: { name, description: '', hours: '', position: 0, enabled: true },
      })
    ).id;
  const player = () => h.person(`player${(made += 1)}`);
  const open = async (who: Person, department = technical) =>
    (
      await who.api.tickets.create({
        body: { department, priority: 'normal', subject: 'Cannot join', text: 'Since noon.' },
      })
    ).id;
  const listed = (query: object = {}, who = oana) => who.api.adminTickets.list({ query });
  const idsOf = async (query: object = {}, who = oana) => (await listed(query, who)).rows.map(({ id }) => id);
  /** All pages of a list: tickets of other tests stand in it as well. */
  const allIdsOf = async (query: object) => {
    const found: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = await listed({ ...query, ...(after === '' ? {} : { after }) });
      found.push(...page.rows.map(({ id }) => id));
      after = page.more;
    }
    return found;
  };
  const change = (ids: readonly string[], what: object, who = oana) =>
    who.api.adminTickets.changeMany({ body: { ids: [...ids], ...what } });
  const tagsOf = async (id: string) => (await oana.api.adminTickets.get({ params: { id } })).ticket.tags;

  test('the tickets of one user are found by the user’s id in every list, and those of nobody else', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const [first, second] = [await open(mirela), await open(mirela)];
    await open(tobi);
    await change([first], { status: 'closed' });
    expect(await idsOf({ user: mirela.id, view: 'all' })).toEqual([second, first]);
    expect(await idsOf({ user: mirela.id })).toEqual([second]);
    expect(await idsOf({ user: mirela.id, view: 'closed' })).toEqual([first]);
    expect(await idsOf({ user: '01890000-0000-7000-8000-000000000000', view: 'all' })).toEqual([]);
    expect(await codeOf(listed({ user: 'mirela' }))).toBe('VALIDATION_FAILED');
  });

  test('every list counts its tickets, and a department those that wait in it', async () => {
    const before = await listed();
    const [mirela, erin] = [await player(), await h.person('erin', support)];
    const [network, refunds] = [await addDepartment('Network'), await addDepartment('Refunds')];
    const [first, second, third] = [
      await open(mirela, network),
      await open(mirela, network),
      await open(mirela, refunds),
    ];
    await change([first], { assignee: erin.id });
    await change([second], { status: 'on_hold' });
    const { counts, departments } = await listed({}, erin);
    expect(counts).toMatchObject({
      inbox: (before.counts?.inbox ?? 0) + 2,
      mine: 1,
      unassigned: (before.counts?.unassigned ?? 0) + 1,
      on_hold: (before.counts?.on_hold ?? 0) + 1,
    });
    const waitsIn = (all: typeof departments) => Object.fromEntries(all.map(({ name, count }) => [name, count]));
    expect(waitsIn(departments)).toEqual({ ...waitsIn(before.departments), Network: 1, Refunds: 1 });
    expect(await idsOf({ department: refunds })).toEqual([third]);
    expect(await idsOf({ view: 'mine', department: network }, erin)).toEqual([first]);
    expect((await idsOf({ view: 'all' })).slice(0, 3).toSorted()).toEqual([first, second, third].toSorted());
    expect(await idsOf({ view: 'all', department: refunds })).toEqual([third]);
  });

  test('a ticket is overdue once it has waited longer than the host wants, the oldest first', async () => {
    const tobi = await player();
    const [early, late] = [await open(tobi), await open(tobi)];
    h.clock.advance(23 * HOUR);
    await tobi.api.tickets.reply({ params: { id: late }, body: { text: 'Still so' } });
    const answered = await open(tobi);
    expect(await allIdsOf({ view: 'overdue' })).not.toContain(early);
    h.clock.advance(HOUR + MINUTE);
    const found = await allIdsOf({ view: 'overdue' });
    // What waits longest counts: writing again does not send somebody to the end.
    expect(found.filter((id) => [early, late, answered].includes(id))).toEqual([early, late]);
    expect((await listed()).counts?.overdue).toBe(found.length);
    await h.set({ ticket_goal_hours: 48 });
    expect(await allIdsOf({ view: 'overdue' })).not.toContain(early);
    await h.set({ ticket_goal_hours: 24 });
    await change([early], { status: 'closed' });
    expect(await allIdsOf({ view: 'overdue' })).not.toContain(early);
  });

  test('what waits is in the order of its priority, then of its waiting, or the newest first, over all its pages', async () => {
    const [vlad, ion] = [await player(), await player()];
    const busy = await addDepartment('Busy');
    const ids: string[] = [];
    for (const who of [vlad, ion]) {
      for (let each = 0; each < 3; each += 1) {
        ids.push(await open(who, busy));
        h.clock.advance(MINUTE);
      }
    }
    const [one = '', two = '', three = '', four = '', five = '', six = ''] = ids;
    await change([two, five], { priority: 'urgent' });
    await change([six], { priority: 'high' });
    await change([one], { priority: 'low' });
    const pressing = [two, five, six, three, four, one];
    expect(await idsOf({ department: busy, sort: 'priority' })).toEqual(pressing);
    expect(await idsOf({ department: busy, sort: 'newest' })).toEqual(ids.toReversed());
    expect(await idsOf({ department: busy, sort: 'longest' })).toEqual(ids);
    // Also without a department, among all others, and from any of them on.
    const all = await listed({ view: 'unassigned', sort: 'priority' });
    const ranks = ['urgent', 'high', 'normal', 'low'];
    const places = all.rows.map(({ priority }) => ranks.indexOf(priority));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const after = (sort: string, id: string) =>
      h.db
        .sql('SELECT since_ms FROM tickets WHERE id = ?', [id])
        .then(
          ([row]) =>
            `${sort === 'priority' ? 10_000_000_000_000 + Number(row?.since_ms) : Number(row?.since_ms)}.${id}`,
        );
    expect(await idsOf({ department: busy, sort: 'priority', after: await after('priority', six) })).toEqual([
      three,
      four,
      one,
    ]);
    expect(await idsOf({ department: busy, sort: 'newest', after: await after('newest', three) })).toEqual([two, one]);
    for (const other of [{ view: 'closed' }, { view: 'all' }, { q: 'noon' }, { tag: 'port' }, { user: vlad.id }])
      expect([other, await codeOf(listed({ ...other, sort: 'priority' }))]).toEqual([other, 'VALIDATION_FAILED']);
  });

  test('an owner takes tickets as everybody of staff does, whatever else their role names', async () => {
    const ticket = await open(await player());
    expect(await change([ticket], { assignee: owner.id }, owner)).toMatchObject({ done: 1, refused: [] });
    expect((await listed()).staff.map(({ id }) => id)).toContain(owner.id);
  });

  test('beside what was searched nothing is counted', async () => {
    const { counts, departments } = await listed({ q: 'noon', view: 'all' });
    expect(counts).toBeNull();
    expect([...new Set(departments.map(({ count }) => count))]).toEqual([null]);
  });

  test('tags are kept in lower case and once, and list the tickets that have them whatever their state', async () => {
    const before = (await listed()).tags;
    const vera = await player();
    const [one, two] = [await open(vera), await open(vera)];
    const update = (tags: string[]) => oana.api.adminTickets.update({ params: { id: one }, body: { tags } });
    await update(['Port', ' port ', 'Known bug']);
    await update(['known bug', 'port']);
    expect(await tagsOf(one)).toEqual(['known bug', 'port']);
    const rows = await h.db.sql<{ action: string }>('SELECT action FROM audit WHERE target = ?', [one]);
    expect(rows.map(({ action }) => action)).toEqual(['tickets.update']);
    await change([two], { add_tag: 'port', status: 'closed' });
    expect(await idsOf({ tag: 'port' })).toEqual([two, one]);
    expect((await listed({ tag: 'port' })).rows.map(({ tags }) => tags)).toEqual([['port'], ['known bug', 'port']]);
    expect((await listed()).tags).toEqual([...before, 'known bug', 'port'].toSorted());
    await update([]);
    expect(await idsOf({ tag: 'known bug' })).toEqual([]);
    expect((await listed()).tags).toEqual([...before, 'port'].toSorted());
    for (const tags of [
      ['a,b'],
      [''],
      ['x'.repeat(31)],
      ['a\nb'],
      Array.from({ length: 11 }, (_, index) => String(index)),
    ])
      expect(await call(h, oana, 'PATCH', `/api/admin/tickets/${one}`, { tags })).toMatchObject({ status: 422 });
  });

  test('several tickets are changed at once, each by itself, and what is refused says why', async () => {
    const sven = await player();
    const [one, two] = [await open(sven), await open(sven)];
    const gone = crypto.randomUUID();
    expect(await change([one, two, gone, one], { assignee: dan.id, priority: 'urgent', add_tag: 'now' })).toMatchObject(
      {
        done: 2,
        refused: [{ id: gone, code: 'NOT_FOUND' }],
      },
    );
    for (const id of [one, two])
      expect((await oana.api.adminTickets.get({ params: { id } })).ticket).toMatchObject({
        assignee: { username: 'dan' },
        priority: 'urgent',
        tags: ['now'],
      });
    expect(await change([one], { assignee: sven.id })).toMatchObject({
      done: 0,
      refused: [{ id: one, code: 'VALIDATION_FAILED' }],
    });
    await oana.api.adminTickets.update({
      params: { id: one },
      body: { tags: Array.from({ length: 10 }, (_, index) => String(index)) },
    });
    expect((await change([one, two], { add_tag: 'more' })).refused).toEqual([{ id: one, code: 'LIMIT_REACHED' }]);
    await change([one, two], { remove_tag: 'more', assignee: null });
    expect(await tagsOf(two)).toEqual(['now']);
    const many = Array.from({ length: 51 }, () => crypto.randomUUID());
    expect(await codeOf(change(many, { status: 'closed' }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(change([one], { status: 'closed' }, sven))).toBe('FORBIDDEN');
  });

  test('two of staff who change the same tickets at once leave each with one line and both tags', async () => {
    const ines = await player();
    const ids = [await open(ines), await open(ines), await open(ines)];
    await Promise.all([
      change(ids, { status: 'closed', add_tag: 'first' }, oana),
      change(ids.toReversed(), { status: 'closed', add_tag: 'second' }, dan),
    ]);
    for (const id of ids) {
      const { ticket, lines } = await oana.api.adminTickets.get({ params: { id } });
      expect([ticket.status, ticket.tags]).toEqual(['closed', ['first', 'second']]);
      expect(lines.filter(({ event }) => event !== null)).toHaveLength(1);
    }
    // Its user hears of it once.
    const kinds = (await ines.api.notifications.list()).notifications.map(({ kind }) => kind);
    expect(kinds).toEqual(['ticketClosed', 'ticketClosed', 'ticketClosed']);
  });

  test('canned replies that are on are offered to staff in their order', async () => {
    const add = (name: string, position: number, enabled = true) =>
      owner.api.adminCannedReplies.create({ body: { name, text: `Hi {{user}}, ${name}`, position, enabled } });
    await add('Second', 2);
    await add('First', 1);
    await add('Off', 0, false);
    const { replies } = await oana.api.adminTickets.cannedReplies();
    expect(replies.map(({ name, text }) => [name, text])).toEqual([
      ['First', 'Hi {{user}}, First'],
      ['Second', 'Hi {{user}}, Second'],
    ]);
  });

  test('T59 the card beside a ticket shows servers and codes to those alone who see them elsewhere', async () => {
    const rosa = await player();
    const [first, second] = [await open(rosa), await open(rosa)];
    const server = crypto.randomUUID();
    await h.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
       revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'Skyhold', '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, 1, 1)`,
      [server, rosa.id],
    );
    await owner.api.adminRedeemCodes.create({
      body: {
        code: 'LANTERN-2026',
        credits: 5,
        enabled: true,
        starts_at: null,
        ends_at: null,
        min_age_days: 0,
        note: '',
        uses_total: 1,
      },
    });
    await rosa.api.redeem.redeem({ body: { code: 'LANTERN-2026' } });
    const cardOf = async (who: Person) => (await who.api.adminTickets.get({ params: { id: first } })).card;
    const [helper, boss] = [await cardOf(oana), await cardOf(owner)];
    expect([helper?.servers, boss?.servers.map(({ name }) => name)]).toEqual([[], ['Skyhold']]);
    expect([helper?.movements[0]?.subject, boss?.movements[0]?.subject]).toEqual(['LA••••', 'LANTERN-2026']);
    expect(helper?.other_tickets).toMatchObject([{ id: second, subject: 'Cannot join', status: 'open' }]);
    const usage = (who: Person) => codeOf(who.api.adminServers.usage({ params: { id: server } }));
    expect([await usage(oana), await usage(owner)]).toEqual(['FORBIDDEN', null]);
  });

  test('the server that a ticket is about is named, and stands first of all servers beside it', async () => {
    const rosa = await player();
    const servers = ['Oldest', 'Middle', 'Newest'].map((name) => ({ id: crypto.randomUUID(), name }));
    for (const [at, { id, name }] of servers.entries())
      await h.db.sql(
        `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
         VALUES (?, ?, ?, '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, ?, 1)`,
        [id, rosa.id, name, at],
      );
    const about = nth(servers, 1);
    const { id } = await rosa.api.tickets.create({
      body: { department: billing, priority: 'normal', subject: 'Cannot join', text: 'Hello', server: about.id },
    });
    const { ticket, card } = await owner.api.adminTickets.get({ params: { id } });
    expect([ticket.server, nth(card?.servers ?? [], 0).name]).toEqual([about, 'Middle']);
    expect(card?.servers.map(({ name }) => name).toSorted()).toEqual(['Middle', 'Newest', 'Oldest']);
    // What the user named in the ticket is read by whoever reads the ticket; what else is theirs is not.
    const seen = await oana.api.adminTickets.get({ params: { id } });
    expect([seen.ticket.server, seen.card?.servers]).toEqual([about, []]);
  });

  test('a tag with tickets of two pages goes on where the first page ended', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) {
      const each = await player();
      h.clock.advance(MINUTE);
      for (let opened = 0; opened < 3; opened += 1) ids.push(await open(each, billing));
    }
    await change(ids, { add_tag: 'event' });
    const first = await listed({ tag: 'event' });
    const second = await listed({ tag: 'event', after: first.more ?? '' });
    expect(first.rows).toHaveLength(25);
    const shown = [...first.rows, ...second.rows].map(({ id }) => id);
    expect(shown.toSorted()).toEqual(ids.toSorted());
    expect(nth(shown, 0)).toBe(nth(ids.toSorted(), 26));
    expect(second.more).toBeNull();
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { notificationPath } from '#shared/notification-path.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { AnswerStatus } from '#shared/tickets.ts';
import { call, listen } from '#tests/support/call.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3.

setDefaultTimeout(300_000);

describe.each(ENGINES)('tickets on %s', (engine) => {
  let h: Harness;
  let department: string;
  let billing: string;
  let oana: Person;
  let dan: Person;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    const support = { permissions: ['admin.tickets.list', 'admin.tickets.view', 'admin.servers.list'] as const };
    oana = await h.person('oana', support);
    dan = await h.person('dan', support);
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const add = async (name: string, enabled = true) =>
      (
        await owner.api.adminDepartments.create({
          body: { name, description: '', hours: 'Mon–Fri', position: 0, enabled },
        })
      ).id;
    department = await add('Technical');
    billing = await add('Billing');
    await add('Closed', false);
  });
  afterAll(() => h.close());
  // Weeks pass in some of them, and sessions end. Each begins with an empty inbox.
  beforeEach(async () => {
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 30 * DAY]);
    await h.db.sql('DELETE FROM tickets');
  });

  const player = () => h.person(`player${(made += 1)}`);
  const body = (more: object = {}) => ({
    department,
    priority: 'normal' as const,
    subject: 'Cannot join on port 25588',
    text: 'Since **16:50** nobody can join.',
    ...more,
  });
  const open = async (who: Person, more: object = {}) => (await who.api.tickets.create({ body: body(more) })).id;
  const read = (who: Person, id: string) => who.api.tickets.get({ params: { id } });
  const write = (who: Person, id: string, text = 'More') => who.api.tickets.reply({ params: { id }, body: { text } });
  const inbox = async (who: Person, query: object = {}) => (await who.api.adminTickets.list({ query })).rows;
  const staffRead = (who: Person, id: string) => who.api.adminTickets.get({ params: { id } });
  const answer = (who: Person, id: string, more: object = {}) =>
    who.api.adminTickets.reply({
      params: { id },
      body: { text: 'Look at `server-port`.', internal: false, status: 'answered' as AnswerStatus, seen: 99, ...more },
    });
  const closeSilent = () => h.host.services.tasks.find(({ name }) => name === 'tickets.close')?.run();
  const bell = async (who: Person) => (await who.api.notifications.list()).notifications.map(({ kind }) => kind);

  test('a ticket has the next number, waits for staff, and shows Markdown as it was made safe', async () => {
    const mirela = await player();
    const form = await mirela.api.tickets.form();
    expect(form.departments.map(({ name, hours, answer_ms: ms }) => [name, hours, ms])).toEqual([
      ['Billing', 'Mon–Fri', null],
      ['Technical', 'Mon–Fri', null],
    ]);
    const first = await mirela.api.tickets.create({ body: body() });
    const second = await mirela.api.tickets.create({ body: body({ text: '# <img src=x onerror=alert(1)>' }) });
    expect(second.number).toBe(first.number + 1);
    const { ticket, lines, can, closes_at: closesAt } = await read(mirela, first.id);
    expect(ticket).toMatchObject({ status: 'open', department: 'Technical', server: null, unread: false });
    expect(lines).toMatchObject([
      { kind: 'user', own: true, html: '<p>Since <strong>16:50</strong> nobody can join.</p>' },
    ]);
    expect([can, closesAt]).toEqual([{ reply: true, close: true, reopen: false, rate: false }, null]);
    expect(nth((await read(mirela, second.id)).lines, 0).html).not.toContain('<img');
    expect((await mirela.api.tickets.list({})).rows.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await mirela.api.tickets.preview({ body: { text: '**so**' } })).html).toBe('<p><strong>so</strong></p>');
  });

  test('staff answer, the user hears of it, and each sees whose turn it is', async () => {
    const mirela = await player();
    const id = await open(mirela);
    expect((await inbox(oana)).map((row) => row.id)).toEqual([id]);
    await answer(oana, id);
    const shown = await read(mirela, id);
    expect(shown.ticket).toMatchObject({ status: 'answered', unread: true });
    expect(shown.lines.map(({ kind, author, own }) => [kind, author, own])).toEqual([
      ['user', mirela.username, true],
      ['staff', 'oana', false],
    ]);
    expect(shown.closes_at).toBe(new Date(h.clock.now() + 7 * DAY).toISOString());
    expect(await bell(mirela)).toEqual(['ticketAnswered']);
    await mirela.api.tickets.markRead({ params: { id }, body: { seq: 2 } });
    expect((await read(mirela, id)).ticket.unread).toBe(false);
    expect((await staffRead(oana, id)).ticket.assignee).toEqual({ id: oana.id, username: 'oana' });
    h.clock.advance(MINUTE);
    await write(mirela, id);
    expect((await read(mirela, id)).ticket.status).toBe('open');
    expect(await bell(oana)).toContain('ticketReplied');
    expect((await inbox(oana, { view: 'mine' })).map((row) => row.id)).toEqual([id]);
  });

  test('an internal note is for staff alone, and changes nothing for the user', async () => {
    const mirela = await player();
    const id = await open(mirela);
    await answer(oana, id, { internal: true, text: 'Third case this week' });
    const shown = await read(mirela, id);
    expect([shown.lines.length, shown.ticket.status, await bell(mirela)]).toEqual([1, 'open', []]);
    expect((await staffRead(dan, id)).lines.at(-1)).toMatchObject({ kind: 'note', author: 'oana' });
    const events = await h.db.sql<{ action: string }>('SELECT action FROM audit WHERE target = ?', [id]);
    expect(events.map(({ action }) => action)).toEqual(['tickets.note']);
    // The notes of staff are none of what is exported for the user.
    const kept = await h.db.uow.read((tx) => tx.exports.sections(mirela.id));
    expect(kept.ticket_messages?.map(({ text }) => text)).toEqual([body().text]);
  });

  test('T1 three tickets may be open, also where fifty are asked for at once', async () => {
    const mirela = await player();
    expect(await atOnce(50, () => mirela.api.tickets.create({ body: body() }))).toEqual({
      ok: 3,
      TICKET_LIMIT: 17,
      RATE_LIMITED: 30,
    });
    const [first] = (await mirela.api.tickets.list({})).rows;
    await mirela.api.tickets.close({ params: { id: first?.id ?? '' } });
    expect((await mirela.api.tickets.list({})).open).toBe(2);
  });

  test('T1 the same message sent twenty times under one key is there once', async () => {
    const mirela = await player();
    const id = await open(mirela);
    const sent = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(h, mirela, 'POST', `/api/tickets/${id}/messages`, { text: 'Once' }, 'one-message'),
      ),
    );
    expect(new Set(sent.filter(({ status }) => status === 200).map(({ json }) => json.seq))).toEqual(new Set([2]));
    expect((await read(mirela, id)).lines).toHaveLength(2);
  });

  test('two of staff who answer at once: one does, the other reads first', async () => {
    const mirela = await player();
    const id = await open(mirela);
    expect(await atOnce(6, () => answer(oana, id, { seen: 1 }))).toEqual({ ok: 1, TICKET_CHANGED: 5 });
    expect((await read(mirela, id)).lines).toHaveLength(2);
    await answer(dan, id, { seen: 2 });
    expect((await read(mirela, id)).lines).toHaveLength(3);
    // A note waits for nobody.
    await answer(dan, id, { seen: 1, internal: true });
  });

  test('T24 a ticket of somebody else is as good as unknown, whatever is tried', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const id = await open(mirela);
    const params = { id };
    for (const tried of [
      () => read(tobi, id),
      () => write(tobi, id),
      () => tobi.api.tickets.close({ params }),
      () => tobi.api.tickets.reopen({ params }),
      () => tobi.api.tickets.markRead({ params, body: { seq: 1 } }),
    ])
      expect(await codeOf(tried())).toBe('NOT_FOUND');
    expect(await codeOf(staffRead(tobi, id))).toBe('FORBIDDEN');
    const server = crypto.randomUUID();
    await h.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
       revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'Skyhold', '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', 'active', 'running', 1, 1, 0, 0, 0, 1, 1) RETURNING id`,
      [server, mirela.id],
    );
    expect(await codeOf(tobi.api.tickets.create({ body: body({ server }) }))).toBe('VALIDATION_FAILED');
    const about = await open(mirela, { server });
    expect((await read(mirela, about)).ticket.server).toEqual({ id: server, name: 'Skyhold' });
    expect((await staffRead(oana, about)).card).toMatchObject({
      balance: 0,
      servers: [{ name: 'Skyhold', state: 'active' }],
    });
  });

  test('T29 what is no department, no subject and no text is refused', async () => {
    const mirela = await player();
    for (const more of [
      { department: crypto.randomUUID() },
      { department: 'x' },
      { subject: 'ab' },
      { subject: 'a\nbcd' },
      { subject: 'x'.repeat(121) },
      { text: '' },
      { text: 'x'.repeat(10_001) },
      { text: 'a\u0000b' },
      { priority: 'urgent' },
      { other: 1 },
    ])
      expect(await call(h, mirela, 'POST', '/api/tickets', body(more))).toMatchObject({ status: 422 });
    expect((await mirela.api.tickets.list({})).rows).toEqual([]);
  });

  test('an answered ticket closes after seven silent days, and a word of its user keeps it open', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const [silent, alive, unanswered, held] = [
      await open(mirela),
      await open(tobi),
      await open(mirela),
      await open(tobi),
    ];
    await answer(oana, silent);
    await answer(oana, alive, { status: 'waiting' });
    await answer(oana, held, { status: 'on_hold' });
    h.clock.advance(6 * DAY);
    await write(tobi, alive);
    await closeSilent();
    expect((await read(mirela, silent)).ticket.status).toBe('answered');
    h.clock.advance(DAY + HOUR);
    await closeSilent();
    expect((await read(mirela, silent)).lines.at(-1)).toMatchObject({
      author: null,
      event: { what: 'status', to: 'closed' },
    });
    expect((await read(mirela, silent)).ticket.status).toBe('closed');
    expect((await read(tobi, alive)).ticket.status).toBe('open');
    expect((await read(mirela, unanswered)).ticket.status).toBe('open');
    expect((await read(tobi, held)).ticket.status).toBe('on_hold');
    expect(await bell(mirela)).toContain('ticketClosed');
  });

  test('a closed ticket takes no message and is reopened within fourteen days', async () => {
    const mirela = await player();
    const id = await open(mirela);
    const params = { id };
    await mirela.api.tickets.close({ params });
    expect(await codeOf(write(mirela, id))).toBe('TICKET_CLOSED');
    h.clock.advance(14 * DAY - MINUTE);
    expect((await read(mirela, id)).can).toEqual({ reply: false, close: false, reopen: true, rate: false });
    await mirela.api.tickets.reopen({ params });
    await mirela.api.tickets.reopen({ params });
    expect((await read(mirela, id)).ticket).toMatchObject({ status: 'open', closed_at: null });
    await mirela.api.tickets.close({ params });
    h.clock.advance(14 * DAY);
    expect((await read(mirela, id)).can.reopen).toBe(false);
    expect(await codeOf(mirela.api.tickets.reopen({ params }))).toBe('TICKET_CLOSED');
    for (let count = 0; count < 3; count += 1) await open(mirela);
    expect(await codeOf(mirela.api.tickets.create({ body: body() }))).toBe('TICKET_LIMIT');
  });

  test('staff give a ticket away, move it and change how pressing it is; each leaves a line and a row of the log', async () => {
    const mirela = await player();
    const id = await open(mirela);
    const change = (more: object) => oana.api.adminTickets.update({ params: { id }, body: more });
    await change({ assignee: dan.id, priority: 'urgent', department: billing, status: 'on_hold' });
    await change({ assignee: dan.id, priority: 'urgent' });
    const { ticket, lines } = await staffRead(oana, id);
    expect(ticket).toMatchObject({
      assignee: { username: 'dan' },
      priority: 'urgent',
      department: 'Billing',
      status: 'on_hold',
    });
    expect(lines.flatMap(({ event }) => (event ? [event] : []))).toEqual([
      { what: 'assignee', to: 'dan' },
      { what: 'department', to: 'Billing' },
      { what: 'priority', from: 'normal', to: 'urgent' },
      { what: 'status', to: 'on_hold' },
    ]);
    expect(await codeOf(change({ assignee: mirela.id }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(change({ department: crypto.randomUUID() }))).toBe('VALIDATION_FAILED');
    const rows = await h.db.sql<{ action: string }>('SELECT action FROM audit WHERE target = ?', [id]);
    expect(rows.map(({ action }) => action)).toEqual(['tickets.update']);
    await change({ assignee: null, status: 'closed' });
    expect((await staffRead(oana, id)).ticket).toMatchObject({ assignee: null, status: 'closed' });
    expect(await bell(mirela)).toEqual(['ticketClosed']);
  });

  test('a user sees all tickets, the open or the closed ones, and how long a first answer usually takes', async () => {
    const mirela = await player();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await open(mirela));
    const [first = '', second = '', third = ''] = ids;
    const shown = async (show?: 'open' | 'closed') =>
      (await mirela.api.tickets.list({ query: show ? { show } : {} })).rows.map((row) => [row.id, row.answer_ms]);
    h.clock.advance(MINUTE);
    await mirela.api.tickets.close({ params: { id: first } });
    expect(await shown('closed')).toEqual([[first, null]]);
    // Nobody was answered there so far.
    expect(await shown('open')).toEqual(
      expect.arrayContaining([
        [second, null],
        [third, null],
      ]),
    );
    expect(await shown()).toHaveLength(3);
    expect((await call(h, mirela, 'GET', '/api/tickets?show=mine')).status).toBe(422);
    for (let count = 0; count < 3; count += 1) await answer(oana, await open(await player()));
    h.clock.advance(MINUTE);
    await answer(oana, second);
    const times = new Map((await mirela.api.tickets.list({})).rows.map((row) => [row.id, row.answer_ms]));
    // Who was answered once waits for no first answer.
    expect([times.get(first), times.get(second)]).toEqual([null, null]);
    expect(times.get(third)).toBe(0);
    expect(await shown('open')).toHaveLength(2);
  });

  test('who is given a ticket by somebody else hears of it once, and who takes one does not', async () => {
    const erin = await h.person('erin', { permissions: ['admin.tickets.list', 'admin.tickets.view'] });
    const params = { id: await open(await player()) };
    const give = (who: Person, assignee: string | null) => who.api.adminTickets.update({ params, body: { assignee } });
    await give(erin, erin.id);
    expect(await bell(erin)).toEqual([]);
    await give(oana, null);
    await give(oana, erin.id);
    // It is theirs already.
    await give(oana, erin.id);
    expect(await bell(erin)).toEqual(['ticketAssigned']);
    const [notification] = (await erin.api.notifications.list()).notifications;
    expect(notification && notificationPath(notification.kind, notification.data)).toBe(
      `/mc-admin/tickets/${params.id}`,
    );
  });

  test('the lists of the inbox show what they say, by department, page by page, and find numbers and names', async () => {
    const people = await Promise.all(Array.from({ length: 9 }, player));
    const ids: string[] = [];
    for (const each of people)
      for (let count = 0; count < 3; count += 1) {
        h.clock.advance(MINUTE);
        ids.push(await open(each, { department: billing }));
      }
    const first = await oana.api.adminTickets.list({ query: { department: billing } });
    expect(first.rows.map(({ id }) => id)).toEqual(ids.slice(0, 25));
    const second = await oana.api.adminTickets.list({ query: { department: billing, after: first.more ?? '' } });
    expect(second.rows.map(({ id }) => id)).toEqual(ids.slice(25));
    expect(second.more).toBeNull();
    const one = nth(first.rows, 3);
    expect(await inbox(oana, { q: `#${one.number}` })).toMatchObject([{ id: one.id }]);
    // A search looks in the list of all, where the newest is first.
    const named = await inbox(oana, { q: nth(people, 1).username });
    expect(named.map(({ id }) => id)).toEqual(ids.slice(3, 6).toReversed());
    expect(await inbox(oana, { q: 'unknown-user' })).toEqual([]);
    await answer(dan, nth(ids, 0), { status: 'closed' });
    await answer(dan, nth(ids, 1), { status: 'waiting' });
    await answer(dan, nth(ids, 2), { status: 'on_hold' });
    const listed = async (view: string) => (await inbox(dan, { view, department: billing })).map(({ id }) => id);
    expect(await listed('closed')).toContain(nth(ids, 0));
    expect(await listed('waiting')).toEqual([nth(ids, 1)]);
    expect(await listed('on_hold')).toEqual([nth(ids, 2)]);
    expect(await listed('mine')).toEqual([nth(ids, 1), nth(ids, 2)]);
    expect((await listed('unassigned')).slice(0, 2)).toEqual([nth(ids, 3), nth(ids, 4)]);
    expect(first.counts?.inbox).toBe(27);
  });

  test('the session counts the tickets with an answer that their user has not read, closed ones as well', async () => {
    const mirela = await player();
    const unread = async () => (await mirela.api.session.get()).stats.tickets_unread;
    const [one, two] = [await open(mirela), await open(mirela)];
    expect(await unread()).toBe(0);
    await answer(oana, one, { internal: true });
    expect(await unread()).toBe(0);
    await answer(oana, one);
    await answer(oana, two, { status: 'closed' });
    expect(await unread()).toBe(2);
    await mirela.api.tickets.markRead({ params: { id: two }, body: { seq: 9 } });
    expect(await unread()).toBe(1);
  });

  test('a conversation of many lines is read in parts', async () => {
    const mirela = await player();
    const id = await open(mirela);
    for (let count = 0; count < 62; count += 1) await answer(oana, id, { internal: count % 10 === 0 });
    const last = await read(mirela, id);
    expect([last.lines.length, last.older]).toEqual([50, true]);
    const before = String(nth(last.lines, 0).seq);
    const earlier = await mirela.api.tickets.get({ params: { id }, query: { before } });
    expect([earlier.lines.length, earlier.older]).toEqual([6, false]);
    expect((await staffRead(dan, id)).lines).toHaveLength(50);
  });

  test('a message reaches the pages of both sides over the stream', async () => {
    const mirela = await player();
    const id = await open(mirela);
    const heard = async (who: Person, act: () => Promise<unknown>) => {
      const line = await listen(h, who, '/api/events');
      await act();
      for (;;) {
        const event = await line.readLine();
        if (!event || event.event === 'tickets') {
          await line.leave();
          return event?.event;
        }
      }
    };
    expect(await heard(mirela, () => answer(oana, id))).toBe('tickets');
    expect(await heard(dan, () => write(mirela, id))).toBe('tickets');
  });

  test('what waits for staff needs a person, and the overview has its figures', async () => {
    const boss = await h.person(`boss${(made += 1)}`, {
      permissions: ['admin.dashboard.view', 'admin.tickets.list', 'admin.dashboard.components.support.view'],
    });
    const mirela = await player();
    const count = async () =>
      (await boss.api.adminAttention.list()).items.find(({ key }) => key === 'tickets')?.count ?? 0;
    const before = await count();
    const id = await open(mirela);
    expect(await count()).toBe(before + 1);
    const figures = await boss.api.adminTickets.summary();
    expect(figures.open).toBe(before + 1);
    expect(figures.unassigned).toBeGreaterThan(0);
    h.clock.advance(MINUTE);
    await answer(oana, id, { status: 'closed' });
    expect(await count()).toBe(before);
    expect((await boss.api.adminTickets.summary()).closed_today).toBe(figures.closed_today + 1);
  });

  test('a department with tickets is not deleted; one that is off takes no new ones', async () => {
    const owner = await h.person(`owner${(made += 1)}`, { permissions: ['admin.root'] });
    const mirela = await player();
    await open(mirela);
    expect(
      await codeOf(owner.api.adminDepartments.remove({ params: { id: department }, body: { name: 'Technical' } })),
    ).toBe('IN_USE');
    await h.db.sql('UPDATE departments SET enabled = 0 WHERE id = ?', [billing]);
    expect(await codeOf(open(mirela, { department: billing }))).toBe('VALIDATION_FAILED');
    expect((await mirela.api.tickets.form()).departments).toHaveLength(1);
    await h.db.sql('UPDATE departments SET enabled = 1 WHERE id = ?', [billing]);
  });

  test('tickets that the host turned off are not there for players', async () => {
    const mirela = await player();
    const id = await open(mirela);
    await h.set({ allow_tickets: false });
    expect(await codeOf(mirela.api.tickets.list({}))).toBe('FEATURE_DISABLED');
    expect(await codeOf(mirela.api.tickets.create({ body: body() }))).toBe('FEATURE_DISABLED');
    expect((await inbox(oana)).map((row) => row.id)).toEqual([id]);
    await h.set({ allow_tickets: true });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { notificationPath } from '#shared/notification-path.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3.

setDefaultTimeout(300_000);

describe.each(ENGINES)('the conversation of a ticket on %s', (engine) => {
  let h: Harness;
  let department: string;
  let oana: Person;
  let dan: Person;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    const support = { permissions: ['admin.tickets.list', 'admin.tickets.view'] as const };
    oana = await h.person('oana', support);
    dan = await h.person('dan', support);
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const body = { name: 'Technical', description: '', hours: '', position: 0, enabled: true };
    department = (await owner.api.adminDepartments.create({ body })).id;
  });
  afterAll(() => h.close());
  // Weeks pass in some of them, and sessions end.
  beforeEach(() =>
    h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 60 * DAY]),
  );

  const player = () => h.person(`player${(made += 1)}`);
  const open = async (who: Person, subject = 'Cannot join', text = 'Nobody can join.') =>
    (await who.api.tickets.create({ body: { department, priority: 'normal', subject, text } })).id;
  const read = (who: Person, id: string) => who.api.tickets.get({ params: { id } });
  const staffRead = (who: Person, id: string) => who.api.adminTickets.get({ params: { id } });
  const answer = (who: Person, id: string) =>
    who.api.adminTickets.reply({
      params: { id },
      body: { text: 'Look at the port.', internal: false, status: 'answered', seen: 99 },
    });
  const rate = (who: Person, id: string, rating: number, text = '') =>
    who.api.tickets.rate({ params: { id }, body: { rating, text } });
  const writers = async (who: Person, id: string) => {
    const api = who === oana || who === dan ? who.api.adminTickets : who.api.tickets;
    return (await api.writers({ params: { id } })).writers.map(
      ({ name, typing }) => `${name}${typing ? ' types' : ''}`,
    );
  };

  test('a closed ticket that was answered is rated by its user, and changed for fourteen days', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const id = await open(mirela);
    const params = { id };
    expect(await codeOf(rate(mirela, id, 5))).toBe('TICKET_CLOSED');
    await answer(oana, id);
    expect(await codeOf(rate(mirela, id, 5))).toBe('TICKET_CLOSED');
    await mirela.api.tickets.close({ params });
    expect((await read(mirela, id)).can.rate).toBe(true);
    await rate(mirela, id, 4, 'Quick,\nthank you');
    h.clock.advance(DAY);
    await rate(mirela, id, 2);
    expect((await read(mirela, id)).rating).toEqual({ value: 2, text: '', at: new Date(h.clock.now()).toISOString() });
    expect((await staffRead(oana, id)).rating?.value).toBe(2);
    expect(await codeOf(rate(tobi, id, 1))).toBe('NOT_FOUND');
    for (const value of [0, 6, 2.5]) expect(await codeOf(rate(mirela, id, value))).toBe('VALIDATION_FAILED');
    h.clock.advance(13 * DAY);
    expect([(await read(mirela, id)).can.rate, await codeOf(rate(mirela, id, 5))]).toEqual([false, 'TICKET_CLOSED']);
    const kept = await h.db.uow.read((tx) => tx.exports.sections(mirela.id));
    expect(kept.tickets).toMatchObject([{ rating: 2, rating_text: '' }]);
  });

  test('a ticket that nobody answered has nothing to be rated', async () => {
    const mirela = await player();
    const id = await open(mirela);
    await mirela.api.tickets.close({ params: { id } });
    expect(await codeOf(rate(mirela, id, 1))).toBe('TICKET_CLOSED');
  });

  test('each side sees up to where the other has read', async () => {
    const mirela = await player();
    const id = await open(mirela);
    expect((await read(mirela, id)).read_seq).toBe(0);
    await oana.api.adminTickets.markRead({ params: { id }, body: { seq: 99 } });
    await dan.api.adminTickets.markRead({ params: { id }, body: { seq: 1 } });
    expect((await read(mirela, id)).read_seq).toBe(1);
    await answer(oana, id);
    expect((await staffRead(oana, id)).read_seq).toBe(1);
    await mirela.api.tickets.markRead({ params: { id }, body: { seq: 2 } });
    expect((await staffRead(oana, id)).read_seq).toBe(2);
  });

  test('who types is seen by the other side for some seconds, and an answer that is begun by staff for longer', async () => {
    const mirela = await player();
    const id = await open(mirela);
    const params = { id };
    await mirela.api.tickets.setTyping({ params, body: { typing: true } });
    await oana.api.adminTickets.setTyping({ params, body: { what: 'message' } });
    expect(await writers(mirela, id)).toEqual(['oana types']);
    expect(await writers(dan, id)).toEqual([`${mirela.username} types`, 'oana types']);
    expect(await writers(oana, id)).toEqual([`${mirela.username} types`]);
    h.clock.advance(8 * SECOND);
    expect([await writers(mirela, id), await writers(dan, id)]).toEqual([[], ['oana']]);
    h.clock.advance(2 * MINUTE);
    expect(await writers(dan, id)).toEqual([]);
    // A note is none of its user's business.
    await oana.api.adminTickets.setTyping({ params, body: { what: 'note' } });
    expect([await writers(mirela, id), await writers(dan, id)]).toEqual([[], ['oana types']]);
    await oana.api.adminTickets.setTyping({ params, body: { what: null } });
    expect(await writers(dan, id)).toEqual([]);
  });

  test('T24 nobody types in a ticket of somebody else, or sees who does', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const params = { id: await open(mirela) };
    expect(await codeOf(tobi.api.tickets.writers({ params }))).toBe('NOT_FOUND');
    expect(await codeOf(tobi.api.tickets.setTyping({ params, body: { typing: true } }))).toBe('NOT_FOUND');
    expect(await codeOf(tobi.api.adminTickets.writers({ params }))).toBe('FORBIDDEN');
  });

  test('the stream of events says that somebody began to type or stopped, and not each time they type', async () => {
    const mirela = await player();
    const params = { id: await open(mirela) };
    const heard: string[] = [];
    const stop = h.db.bus.subscribe(`typing:${mirela.id}`, (topic) => heard.push(topic));
    for (let times = 0; times < 5; times += 1) {
      await oana.api.adminTickets.setTyping({ params, body: { what: 'message' } });
      h.clock.advance(3 * SECOND);
    }
    expect(heard).toHaveLength(1);
    await oana.api.adminTickets.setTyping({ params, body: { what: null } });
    await oana.api.adminTickets.setTyping({ params, body: { what: null } });
    expect(heard).toHaveLength(2);
    stop();
  });

  const write = (who: Person, id: string, text = 'More') => who.api.tickets.reply({ params: { id }, body: { text } });
  const numberOf = async (id: string) => (await staffRead(oana, id)).ticket.number;
  const merge = async (who: Person, id: string, into: string) =>
    who.api.adminTickets.merge({ params: { id }, body: { into: await numberOf(into) } });
  const texts = async (id: string) =>
    (await staffRead(oana, id)).lines.map(({ html, event }) => html ?? `${event?.what} ${event?.to}`);
  const fileFor = async (who: Person) =>
    (await who.api.tickets.attach({ query: { name: 'a.txt' }, body: new TextEncoder().encode('mine') })).id;

  test('a ticket is merged into another of its user, with its files, and says where it went', async () => {
    const mirela = await player();
    const [from, into] = [await open(mirela, 'Port', 'First'), await open(mirela, 'Still the port', 'Second')];
    const file = await fileFor(mirela);
    await mirela.api.tickets.reply({ params: { id: from }, body: { text: 'With a file', attachments: [file] } });
    await answer(oana, from);
    await mirela.api.tickets.markRead({ params: { id: from }, body: { seq: 3 } });
    const [number, other] = [await numberOf(from), await numberOf(into)];
    expect(await merge(oana, from, into)).toMatchObject({ id: into, number: other });
    expect(await texts(into)).toEqual([
      '<p>Second</p>',
      `mergedFrom #${number}`,
      '<p>First</p>',
      '<p>With a file</p>',
      '<p>Look at the port.</p>',
    ]);
    const whole = await read(mirela, into);
    expect(whole.ticket).toMatchObject({ status: 'open', unread: false });
    expect(whole.lines.flatMap(({ seq, attachments }) => attachments.map(({ id }) => [seq, id]))).toEqual([[4, file]]);
    const left = await read(mirela, from);
    expect([left.merged_into, left.ticket.status, left.can]).toEqual([
      { id: into, number: other },
      'closed',
      { reply: false, close: false, reopen: false, rate: false },
    ]);
    expect(await texts(from)).toEqual([`merged #${other}`]);
    expect((await mirela.api.tickets.list({})).open).toBe(1);
    const search = async (q: string) => (await oana.api.adminTickets.list({ query: { q } })).rows.map((row) => row.id);
    expect(await search('With a file')).toEqual([into]);
    // What was merged is over: nothing is written in it, or merged into it.
    expect(await codeOf(write(mirela, from))).toBe('TICKET_CLOSED');
    expect(await codeOf(answer(oana, from))).toBe('TICKET_MERGED');
    expect(await codeOf(mirela.api.tickets.reopen({ params: { id: from } }))).toBe('TICKET_CLOSED');
    expect(await codeOf(oana.api.adminTickets.update({ params: { id: from }, body: { status: 'open' } }))).toBe(
      'TICKET_MERGED',
    );
    expect(await codeOf(merge(oana, into, from))).toBe('TICKET_MERGED');
    await write(mirela, into);
    expect((await read(mirela, into)).lines.at(-1)?.seq).toBe(6);
    // A chain of merges leads to its end.
    const third = await open(mirela, 'Once more', 'Third');
    await merge(dan, into, third);
    expect((await read(mirela, from)).merged_into?.id).toBe(third);
  });

  test('an answer that was not read is not read in the ticket that it was merged into', async () => {
    const mirela = await player();
    const [from, into] = [await open(mirela), await open(mirela)];
    await answer(oana, from);
    await merge(oana, from, into);
    expect((await read(mirela, into)).ticket).toMatchObject({ unread: true, status: 'open' });
  });

  test('T1 two of staff who merge the same tickets at once, both ways: one does, and no line is lost', async () => {
    const mirela = await player();
    for (let round = 0; round < 3; round += 1) {
      const [a, b] = [await open(mirela, 'One', 'A'), await open(mirela, 'Two', 'B')];
      const tried = await Promise.all([
        codeOf(merge(oana, a, b)),
        codeOf(merge(dan, b, a)),
        codeOf(merge(dan, a, b)),
        codeOf(write(mirela, a, 'C')),
      ]);
      expect(tried.slice(0, 3).filter((code) => code === null)).toHaveLength(1);
      expect(tried.slice(0, 3).filter((code) => code === 'TICKET_MERGED')).toHaveLength(2);
      const end = (await read(mirela, a)).merged_into?.id ?? a;
      const wanted = ['<p>A</p>', '<p>B</p>', ...(tried[3] === null ? ['<p>C</p>'] : [])];
      expect((await texts(end)).filter((text) => text.startsWith('<p>')).toSorted()).toEqual(wanted);
      await mirela.api.tickets.close({ params: { id: end } });
    }
  });

  test('T24 a ticket is not merged into one of somebody else, into itself or into none', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const [id, other] = [await open(mirela), await open(tobi)];
    expect(await codeOf(merge(oana, id, other))).toBe('VALIDATION_FAILED');
    expect(await codeOf(merge(oana, id, id))).toBe('VALIDATION_FAILED');
    expect(await codeOf(oana.api.adminTickets.merge({ params: { id }, body: { into: 999_999 } }))).toBe(
      'VALIDATION_FAILED',
    );
    expect((await read(tobi, other)).lines).toHaveLength(1);
  });

  test('a message and what follows it become a ticket of their own', async () => {
    const mirela = await player();
    const id = await open(mirela, 'Port', 'First');
    await answer(oana, id);
    const file = await fileFor(mirela);
    await mirela.api.tickets.reply({ params: { id }, body: { text: 'And my invoice?', attachments: [file] } });
    const split = (seq: number) =>
      oana.api.adminTickets.split({ params: { id }, body: { seq, subject: 'The invoice' } });
    for (const seq of [1, 2, 9]) expect(await codeOf(split(seq))).toBe('VALIDATION_FAILED');
    const number = await numberOf(id);
    const made = await split(3);
    expect(await texts(id)).toEqual(['<p>First</p>', '<p>Look at the port.</p>', `split #${made.number}`]);
    expect(await texts(made.id)).toEqual(['<p>And my invoice?</p>', `splitFrom #${number}`]);
    expect((await read(mirela, id)).ticket.status).toBe('answered');
    const shown = await read(mirela, made.id);
    expect(shown.ticket).toMatchObject({ subject: 'The invoice', status: 'open', unread: false });
    expect(shown.lines[0]?.attachments.map((each) => each.id)).toEqual([file]);
    await write(mirela, made.id);
    expect((await read(mirela, made.id)).lines).toHaveLength(3);
  });

  test('a ticket that staff split off is found by its subject and by its first message', async () => {
    const mirela = await player();
    const id = await open(mirela, 'Port', 'First');
    await mirela.api.tickets.reply({ params: { id }, body: { text: 'And my invoice, please?' } });
    const made = await oana.api.adminTickets.split({ params: { id }, body: { seq: 2, subject: 'Écluse nº 7' } });
    const found = async (q: string) => (await oana.api.adminTickets.list({ query: { q } })).rows.map((row) => row.id);
    expect(await found('ecluse')).toEqual([made.id]);
    expect(await found('ecluse invoice')).toEqual([made.id]);
    expect(await found('first')).toContain(id);
  });

  test('a player hears that staff merged and split their tickets, once and with a way there', async () => {
    const mirela = await player();
    const [port, other] = [await open(mirela, 'Port', 'First'), await open(mirela, 'Other', 'Second')];
    await merge(oana, other, port);
    const { seq = 0 } = (await read(mirela, port)).lines.findLast(({ kind }) => kind === 'user') ?? {};
    const made = await oana.api.adminTickets.split({ params: { id: port }, body: { seq, subject: 'Invoice' } });
    const { notifications } = await mirela.api.notifications.list();
    const heard = notifications.map(({ kind, data }) => [kind, notificationPath(kind, data), data.subject]);
    expect(heard.toSorted()).toEqual([
      ['ticketMerged', `/ticket/${port}`, 'Port'],
      ['ticketSplit', `/ticket/${made.id}`, 'Invoice'],
    ]);
  });

  test('staff who merge tickets of their own get no notification about it', async () => {
    const [port, other] = [await open(dan, 'Port', 'First'), await open(dan, 'Other', 'Second')];
    await merge(dan, other, port);
    expect((await dan.api.notifications.list()).notifications.filter(({ kind }) => kind === 'ticketMerged')).toEqual(
      [],
    );
  });

  test('a blocked sender opens and reopens no tickets, sees that, and goes on with those that are open', async () => {
    const mirela = await player();
    const [id, closed] = [await open(mirela), await open(mirela)];
    await mirela.api.tickets.close({ params: { id: closed } });
    await oana.api.adminTickets.block({ params: { id }, body: { reason: 'Insults' } });
    await dan.api.adminTickets.block({ params: { id }, body: { reason: 'Another' } });
    expect((await staffRead(dan, id)).block?.reason).toBe('Insults');
    expect(await codeOf(open(mirela))).toBe('TICKET_BLOCKED');
    expect(await codeOf(mirela.api.tickets.reopen({ params: { id: closed } }))).toBe('TICKET_BLOCKED');
    expect((await mirela.api.tickets.form()).blocked).toBe(true);
    await write(mirela, id);
    await dan.api.adminTickets.unblock({ params: { id } });
    await open(mirela);
    const audit = await h.db.sql<{ action: string }>('SELECT action FROM audit WHERE target = ? ORDER BY action', [id]);
    expect(audit.map(({ action }) => action)).toEqual(['tickets.block', 'tickets.unblock']);
  });
});

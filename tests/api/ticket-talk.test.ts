import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3.

setDefaultTimeout(60_000);

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
    await mirela.api.tickets.sayTyping({ params, body: { typing: true } });
    await oana.api.adminTickets.sayTyping({ params, body: { what: 'message' } });
    expect(await writers(mirela, id)).toEqual(['oana types']);
    expect(await writers(dan, id)).toEqual([`${mirela.username} types`, 'oana types']);
    expect(await writers(oana, id)).toEqual([`${mirela.username} types`]);
    h.clock.advance(8 * SECOND);
    expect([await writers(mirela, id), await writers(dan, id)]).toEqual([[], ['oana']]);
    h.clock.advance(2 * MINUTE);
    expect(await writers(dan, id)).toEqual([]);
    // A note is none of its user's business.
    await oana.api.adminTickets.sayTyping({ params, body: { what: 'note' } });
    expect([await writers(mirela, id), await writers(dan, id)]).toEqual([[], ['oana types']]);
    await oana.api.adminTickets.sayTyping({ params, body: { what: null } });
    expect(await writers(dan, id)).toEqual([]);
  });

  test('T24 nobody types in a ticket of somebody else, or sees who does', async () => {
    const [mirela, tobi] = [await player(), await player()];
    const params = { id: await open(mirela) };
    expect(await codeOf(tobi.api.tickets.writers({ params }))).toBe('NOT_FOUND');
    expect(await codeOf(tobi.api.tickets.sayTyping({ params, body: { typing: true } }))).toBe('NOT_FOUND');
    expect(await codeOf(tobi.api.adminTickets.writers({ params }))).toBe('FORBIDDEN');
  });

  test('the stream of events says that somebody began to type or stopped, and not each time they type', async () => {
    const mirela = await player();
    const params = { id: await open(mirela) };
    const heard: string[] = [];
    const stop = h.db.bus.subscribe(`typing:${mirela.id}`, (topic) => heard.push(topic));
    for (let times = 0; times < 5; times += 1) {
      await oana.api.adminTickets.sayTyping({ params, body: { what: 'message' } });
      h.clock.advance(3 * SECOND);
    }
    expect(heard).toHaveLength(1);
    await oana.api.adminTickets.sayTyping({ params, body: { what: null } });
    await oana.api.adminTickets.sayTyping({ params, body: { what: null } });
    expect(heard).toHaveLength(2);
    stop();
  });
});

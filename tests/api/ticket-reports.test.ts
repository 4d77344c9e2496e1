import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { AnswerStatus } from '#shared/tickets.ts';
import { call } from '#tests/support/call.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3: how quickly tickets are answered and resolved, and what their users think of it.

setDefaultTimeout(300_000);

describe.each(ENGINES)('the reports of tickets on %s', (engine) => {
  let h: Harness;
  let technical: string;
  let billing: string;
  let oana: Person;
  let dan: Person;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const add = async (name: string) =>
      (
        await owner.api.adminDepartments.create({
          body: { name, description: '', hours: '', position: 0, enabled: true },
        })
      ).id;
    technical = await add('Technical');
    billing = await add('=Billing');
  });
  afterAll(() => h.close());
  beforeEach(async () => {
    // It is noon, no report reaches back to the tickets of another test, and no day of those is kept.
    h.clock.advance(100 * DAY + 12 * HOUR - (h.clock.now() % DAY));
    await h.db.sql('DELETE FROM ticket_report_days');
    await h.db.sql('DELETE FROM ticket_report_marks');
    await h.set({ app_timezone: 'UTC' });
    const permissions = ['admin.tickets.list', 'admin.tickets.view'] as const;
    oana = await h.person(`oana${(made += 1)}`, { permissions });
    dan = await h.person(`dan${made}`, { permissions });
  });

  const open = async (who: Person, department: string) =>
    (
      await who.api.tickets.create({
        body: { department, priority: 'normal', subject: 'Cannot join', text: 'Since noon.' },
      })
    ).id;
  const answer = (who: Person, id: string, status: AnswerStatus = 'answered') =>
    who.api.adminTickets.reply({ params: { id }, body: { text: 'Done', internal: false, status, seen: 99 } });
  const report = (days: '7' | '30' | '90' = '7', who = oana) => who.api.adminTicketReports.get({ query: { days } });

  /** A ticket of ten days ago and three of today: two are answered, resolved and rated, one waits for an hour. */
  async function openRated() {
    const mirela = await h.person(`mirela${made}`);
    const old = await open(mirela, technical);
    await answer(dan, old, 'closed');
    h.clock.advance(10 * DAY);
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 30 * DAY]);
    const [one, two, three] = [
      await open(mirela, technical),
      await open(mirela, technical),
      await open(mirela, billing),
    ];
    h.clock.advance(10 * MINUTE);
    await answer(oana, one);
    h.clock.advance(20 * MINUTE);
    await answer(oana, two, 'closed');
    h.clock.advance(30 * MINUTE);
    await answer(dan, one, 'closed');
    await mirela.api.tickets.rate({ params: { id: one }, body: { rating: 5, text: '' } });
    await mirela.api.tickets.rate({ params: { id: two }, body: { rating: 3, text: 'Slow' } });
    return { mirela, waiting: three };
  }

  test('a report without tickets has every day and no figures', async () => {
    const { days, opened, resolved, all, departments, staff } = await report();
    expect([days.length, opened, resolved]).toEqual([7, Array(7).fill(0), Array(7).fill(0)]);
    expect(all).toEqual({
      opened: 0,
      answered: 0,
      resolved: 0,
      answer_ms: null,
      resolve_ms: null,
      rated: 0,
      satisfied: 0,
    });
    expect([departments, staff]).toEqual([[], []]);
  });

  test('a report has the middle of the times, by department and by person, of its days alone', async () => {
    const { mirela, waiting } = await openRated();
    const { all, departments, staff, opened, resolved } = await report();
    expect(all).toEqual({
      opened: 3,
      answered: 2,
      resolved: 2,
      answer_ms: 10 * MINUTE,
      resolve_ms: 30 * MINUTE,
      rated: 2,
      satisfied: 1,
    });
    expect(departments.map(({ name, opened: count, answer_ms: ms }) => [name, count, ms])).toEqual([
      ['=Billing', 1, null],
      ['Technical', 2, 10 * MINUTE],
    ]);
    expect(staff.map(({ name, opened: count, resolved: done, rated }) => [name, count, done, rated])).toEqual([
      [oana.username, 2, 2, 2],
      [null, 1, 0, 0],
    ]);
    expect([opened.at(-1), resolved.at(-1)]).toEqual([3, 2]);
    expect((await report('30')).all.opened).toBe(4);
    await mirela.api.tickets.close({ params: { id: waiting } });
    expect((await report()).all).toMatchObject({ resolved: 3, resolve_ms: HOUR });
  });

  test('a report has the times and the satisfaction of each day, and may be that of one department or person', async () => {
    await openRated();
    const whole = await report('30');
    const [before, today] = [Array(29).fill(null), Array(29).fill(0)];
    before[19] = 0;
    expect(whole.answer_ms).toEqual([...before, 10 * MINUTE]);
    expect(whole.resolve_ms).toEqual([...before, 30 * MINUTE]);
    expect([whole.rated, whole.satisfied]).toEqual([
      [...today, 2],
      [...today, 1],
    ]);
    const of = (query: { department?: string; person?: string }) =>
      oana.api.adminTicketReports.get({ query: { days: '30', ...query } });
    const ofBilling = await of({ department: billing });
    expect(ofBilling.all).toMatchObject({ opened: 1, answered: 0, answer_ms: null, rated: 0 });
    expect(ofBilling.answer_ms).toEqual(Array(30).fill(null));
    const ofOana = await of({ person: oana.id });
    expect(ofOana.all).toMatchObject({ opened: 2, answered: 2, resolved: 2, rated: 2, satisfied: 1 });
    expect(ofOana.opened.slice(-11)).toEqual([...Array(10).fill(0), 2]);
    expect([ofBilling.departments, ofBilling.staff]).toEqual([whole.departments, whole.staff]);
  });

  test('T29 the file of a report has the same figures, and no name in it is a formula', async () => {
    const { mirela, waiting } = await openRated();
    await mirela.api.tickets.close({ params: { id: waiting } });
    const response = await h.http('/api/admin/tickets/reports/export.csv?days=7', {
      headers: { Cookie: `__Host-spawnpoint=${oana.secret}` },
    });
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect((await response.text()).replace('\uFEFF', '').split('\r\n').slice(0, 3)).toEqual([
      'kind,name,opened,answered,resolved,first_answer_minutes,resolution_minutes,rated,satisfied',
      "department,'=Billing,1,0,1,,60,0,0".replace("'=Billing", '"\'=Billing"'),
      'department,Technical,2,2,2,10,30,2,1',
    ]);
    const stranger = await h.person('stranger');
    expect(await codeOf(report('7', stranger))).toBe('FORBIDDEN');
    expect((await call(h, oana, 'GET', '/api/admin/tickets/reports?days=100000')).status).toBe(422);
  });

  test('a report from days that are kept has the figures of a direct count, whatever happens to their tickets', async () => {
    const keep = () => h.host.services.tasks.find(({ name }) => name === 'tickets.report_days')?.run();
    const on = async (days: number) => {
      h.clock.advance(days * DAY);
      await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 60 * DAY]);
    };
    /** Compares, and leaves nothing kept. Out: how many days were. */
    const compare = async (what: string): Promise<number> => {
      const [kept, rows] = [await report('90'), await h.db.sql('DELETE FROM ticket_report_days RETURNING from_ms')];
      expect([what, kept]).toEqual([what, await report('90')]);
      return rows.length;
    };
    const [nora, tobi] = [await h.person('nora'), await h.person('tobi')];
    const ids: string[] = [];
    for (let day = 0; day < 6; day += 1) {
      for (const who of [nora, tobi]) {
        const id = await open(who, day % 2 === 0 ? technical : billing);
        ids.push(id);
        h.clock.advance((day + 1) * 47 * MINUTE);
        await answer(day % 3 === 0 ? oana : dan, id, day % 2 === 0 ? 'closed' : 'answered');
        if (day % 2 === 0) await who.api.tickets.rate({ params: { id }, body: { rating: 1 + day, text: '' } });
        else if (day < 4) await who.api.tickets.close({ params: { id } });
      }
      await on(1);
    }
    const [first = '', second = '', third = '', fourth = ''] = ids;
    const last = ids.at(-1) ?? '';
    const change = (id: string, body: object) => oana.api.adminTickets.update({ params: { id }, body });
    const changes: Readonly<Record<string, () => Promise<unknown>>> = {
      'nothing happened': async () => undefined,
      'one belongs to another department': () => change(first, { department: billing }),
      'somebody else takes care of one': () => change(third, { assignee: oana.id }),
      'one was reopened': () => change(fourth, { status: 'open' }),
      'one is answered late': () => answer(oana, last),
      'one was rated anew': () => nora.api.tickets.rate({ params: { id: first }, body: { rating: 5, text: '' } }),
      'one was merged': async () => {
        const into = (await oana.api.adminTickets.get({ params: { id: fourth } })).ticket.number;
        return oana.api.adminTickets.merge({ params: { id: second }, body: { into } });
      },
      'a department has no tickets any more': () => h.db.sql('DELETE FROM tickets WHERE department_id = ?', [billing]),
      'the days of the host begin at another time': () => h.set({ app_timezone: 'Pacific/Auckland' }),
    };
    for (const [what, happen] of Object.entries(changes)) {
      await keep();
      expect(await h.db.sql('SELECT at_ms FROM ticket_report_marks')).toEqual([]);
      await happen();
      expect([what, await compare(what)]).toEqual([what, 90]);
    }
    await keep();
    await on(1);
    await keep();
    expect(await compare('a day has passed')).toBe(90);
  });

  test('what changes while its day is counted is counted again', async () => {
    const nora = await h.person('vera');
    const id = await open(nora, technical);
    h.clock.advance(DAY);
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ?', [h.clock.now(), h.clock.now() + 60 * DAY]);
    const keep = () => h.host.services.tasks.find(({ name }) => name === 'tickets.report_days')?.run();
    await keep();
    const { long, uow } = h.host.database;
    const [day] = await h.db.sql<{ from_ms: number; to_ms: number }>(
      'SELECT from_ms, to_ms FROM ticket_report_days ORDER BY from_ms DESC LIMIT 1',
    );
    const span = { fromMs: day?.from_ms ?? 0, toMs: day?.to_ms ?? 0 };
    const seen = await long.read(
      async ({ ticketReports }) => ({
        marks: await ticketReports.listMarks(span, 10),
        version: (await ticketReports.listDays(span))[0]?.version ?? 0,
        figures: await ticketReports.count(span),
      }),
      { for: 'job' },
    );
    await answer(dan, id);
    await uow.run((tx) => tx.ticketReports.keepDay({ ...span, ...seen }, seen.marks));
    // What was counted before the answer is kept now, and known to be old.
    const kept = await report('30');
    await h.db.sql('DELETE FROM ticket_report_days');
    expect(kept).toEqual(await report('30'));
    await keep();
    expect(await report('30')).toEqual(kept);
    // Of two that count the same day, one keeps it.
    const before = await h.db.sql('SELECT from_ms, version, figures FROM ticket_report_days ORDER BY from_ms');
    await uow.run((tx) => tx.ticketReports.keepDay({ ...span, version: 7, figures: [] }, []));
    expect(await h.db.sql('SELECT from_ms, version, figures FROM ticket_report_days ORDER BY from_ms')).toEqual(before);
  });
});

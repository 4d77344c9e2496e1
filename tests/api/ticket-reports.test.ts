import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { AnswerStatus } from '#shared/tickets.ts';
import { call } from '#tests/support/call.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3: how quickly tickets are answered and resolved, and what their users think of it.

setDefaultTimeout(60_000);

describe.each(ENGINES)('the reports of tickets on %s', (engine) => {
  let h: Harness;
  let technical: string;
  let billing: string;
  let oana: Person;
  let dan: Person;
  beforeAll(async () => {
    h = await openHarness({ engine });
    const permissions = ['admin.tickets.list', 'admin.tickets.view'] as const;
    oana = await h.person('oana', { permissions });
    dan = await h.person('dan', { permissions });
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

  const open = async (who: Person, department: string) =>
    (
      await who.api.tickets.create({
        body: { department, priority: 'normal', subject: 'Cannot join', text: 'Since noon.' },
      })
    ).id;
  const answer = (who: Person, id: string, status: AnswerStatus = 'answered') =>
    who.api.adminTickets.reply({ params: { id }, body: { text: 'Done', internal: false, status, seen: 99 } });
  const report = (days: '7' | '30' | '90' = '7', who = oana) => who.api.adminTicketReports.get({ query: { days } });

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
    const mirela = await h.person('mirela');
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
      ['oana', 2, 2, 2],
      [null, 1, 0, 0],
    ]);
    expect([opened.at(-1), resolved.at(-1)]).toEqual([3, 2]);
    expect((await report('30')).all.opened).toBe(4);
    await mirela.api.tickets.close({ params: { id: three } });
    expect((await report()).all).toMatchObject({ resolved: 3, resolve_ms: HOUR });
  });

  test('T29 the file of a report has the same figures, and no name in it is a formula', async () => {
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
});

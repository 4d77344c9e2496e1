import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTicketInboxRepo } from '#server/data/repos/ticket-inbox.ts';
import { readLines } from '#server/modules/tickets/deps.ts';
import { toSearch } from '#server/modules/tickets/words.ts';
import { HOUR } from '#shared/time.ts';
import { PRIORITY_SORTED, TICKET_VIEWS } from '#shared/tickets.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { crowdId } from '#tests/support/crowd.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { plansOf } from '#tests/support/plans.ts';
import { countingReader, type CountingReader } from '#tests/support/row-count.ts';
import { departmentId, fillTickets } from '#tests/support/ticket-crowd.ts';

const STAFF = { staffId: crowdId(1), overdueMs: TEST_START - 24 * HOUR };
const SMALL = { tickets: 2000, staffIds: [STAFF.staffId], nowMs: TEST_START };

let db: TestDb;
let reader: CountingReader;
beforeAll(async () => {
  db = await openTestDb('sqlite');
  fillTickets('path' in db.where ? db.where.path : '', SMALL);
  reader = countingReader('path' in db.where ? db.where.path : '');
});
afterAll(async () => {
  reader.close();
  await db.close();
});

/** Along which indexes a page of a list is read, and whether it is sorted afterwards. */
async function stepsOf(query: Parameters<ReturnType<typeof createTicketInboxRepo>['list']>[1]) {
  const steps: string[] = [];
  const plans = await plansOf(db, async (_, raw) => {
    const { list } = createTicketInboxRepo(raw);
    const first = await list(STAFF, query, null, 26);
    expect([query, first.length]).toEqual([query, 26]);
    const last = first.at(-1);
    if (last) await list(STAFF, query, { ms: last.sinceMs, id: last.id }, 26);
  });
  for (const { plan } of plans) {
    let sorts = 0;
    for (const step of plan.split('\n')) {
      const index = /^(?:SCAN|SEARCH) tickets USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1];
      if (index !== undefined) steps.push(index);
      if (step.startsWith('USE TEMP B-TREE')) sorts += 1;
    }
    // The rows of the page, once they have their names.
    expect([plan, sorts <= 1]).toEqual([plan, true]);
  }
  return [...new Set(steps)];
}

test('a page of every list is read along its own index, also where it is narrowed to a department', async () => {
  const own: Record<string, string> = { overdue: 'tickets_inbox' };
  for (const view of TICKET_VIEWS) {
    const index = own[view] ?? `tickets_${view}`;
    expect([view, await stepsOf({ view })]).toEqual([view, [index]]);
    const narrowed = await stepsOf({ view, departmentId: departmentId(2) });
    expect([view, narrowed]).toEqual([view, [`${index}_in`]]);
  }
});

test('a list in the order of priority reads its own index up to a bound, and sorts that', async () => {
  for (const within of [undefined, departmentId(2)]) {
    const plans = await plansOf(db, async (_, raw) => {
      const query = { view: 'inbox', sort: 'priority', departmentId: within } as const;
      expect((await createTicketInboxRepo(raw).list(STAFF, query, null, 26)).length).toBe(26);
    });
    const [list] = plans.filter(({ plan }) => plan.includes('tickets_inbox'));
    expect(list?.plan).toContain(`tickets USING INDEX tickets_inbox${within === undefined ? '' : '_in'}`);
    expect(list?.sql).toContain(`LIMIT ${PRIORITY_SORTED}`);
  }
});

test('a page of what a search found reads thirty lines and twenty tickets at most, however common its words are', async () => {
  const found: Record<string, number> = {};
  for (const text of ['common', 'rare', 'ticket', 'cannot join on port', 'port 25000', 'common answer', 'nothing']) {
    reader.take();
    const most = { numbers: 20, lines: 30 };
    const words = toSearch(`${text} `);
    const { numbers } = await reader.read((tx) => tx.ticketInbox.findNumbers(words, null, most));
    // The index of words is none of the tables: what it gives is bounded by `lines`.
    expect([text, reader.take()]).toEqual([text, {}]);
    const rows = await reader.read((tx) => tx.ticketInbox.listByNumbers(numbers));
    expect([text, reader.take().tickets ?? 0]).toEqual([text, rows.length]);
    expect(rows.map(({ number }) => number)).toEqual([...numbers]);
    found[text] = rows.length;
  }
  // Three lines of each ticket have the words: what is left of a ticket is jumped over.
  expect(found).toEqual({
    common: 20,
    rare: 1,
    ticket: 20,
    'cannot join on port': 20,
    'port 25000': 2,
    'common answer': 20,
    nothing: 0,
  });
});

test('a page of a ticket of ten thousand messages reads the lines of that page, wherever it begins', async () => {
  const [ticket] = await db.sql<{ id: string; messages: number }>('SELECT id, messages FROM tickets LIMIT 1');
  const { id, messages } = ticket ?? { id: '', messages: 0 };
  await db.sql(
    `INSERT INTO ticket_messages (id, ticket_id, seq, kind, author_id, text, created_ms)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
     SELECT 'long-' || n, ?, ? + n, CASE n % 20 WHEN 0 THEN 'note' ELSE 'user' END, ?, 'Message ' || n, ? FROM numbers`,
    [id, messages, STAFF.staffId, TEST_START],
  );
  for (const before of [null, messages + 9000, messages + 60]) {
    reader.take();
    const { lines, hasOlder } = await reader.read((tx) => readLines(tx, id, before, false));
    expect([lines.length, hasOlder, lines.at(-1)?.seq ?? 0]).toEqual([50, true, expect.any(Number)]);
    // The notes between them are passed over.
    expect(reader.take().ticket_messages).toBeLessThanOrEqual(55);
  }
});

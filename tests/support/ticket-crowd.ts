import { Database } from 'bun:sqlite';
import { HOUR, MINUTE } from '#shared/time.ts';

/** Departments of the tickets. */
export const TICKET_DEPARTMENTS = 4;
export const departmentId = (number: number): string =>
  `0199d000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/**
 * Fills a SQLite file that has all tables with tickets of three messages each: of all states, departments, tags and
 * staff in shares that are the same in every crowd. Every tenth of them has the word `common`, one in `tickets` the
 * word `rare`. Written in SQL, because a million one by one would take many minutes. The program must not have the file
 * open. In: the path, how many tickets, who of staff have a third of them together, and the time (UTC ms).
 */
export function fillTickets(
  path: string,
  {
    tickets,
    staffIds,
    nowMs,
  }: { readonly tickets: number; readonly staffIds: readonly string[]; readonly nowMs: number },
): void {
  const db = new Database(path);
  db.run('PRAGMA synchronous=OFF');
  db.run('PRAGMA cache_size=-200000');
  for (let number = 0; number < TICKET_DEPARTMENTS; number += 1)
    db.run(
      `INSERT INTO departments (id, name, description, hours, position, enabled, created_ms, updated_ms)
       VALUES (?, ?, '', '', ?, 1, 0, 0)`,
      [departmentId(number), `Department ${number}`, number],
    );
  const made = db
    .query<{ type: string; name: string; sql: string }, []>(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('index', 'trigger')
       AND tbl_name IN ('tickets', 'ticket_messages', 'ticket_texts', 'ticket_tags')`,
    )
    .all();
  for (const { type, name } of made) db.run(`DROP ${type} ${name}`);
  const each = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${tickets})`;
  const id = (table: string, value: string) => `printf('0199${table}-0000-7000-8000-%012x', ${value})`;
  db.run('BEGIN');
  db.run(`INSERT INTO tickets (id, number, user_id, department_id, subject, priority, status, server_id, assignee_id,
      messages, answered_seq, read_seq, created_ms, since_ms, updated_ms, first_answer_ms, closed_ms)
    ${each} SELECT ${id('a000', 'i')}, i, ${id('b000', `i % ${Math.ceil(tickets / 3)}`)},
      ${id('d000', `(i / 7) % ${TICKET_DEPARTMENTS}`)}, 'Ticket no. ' || i, 'normal',
      CASE i % 10 WHEN 0 THEN 'open' WHEN 1 THEN 'open' WHEN 2 THEN 'answered' WHEN 3 THEN 'waiting'
        WHEN 4 THEN 'on_hold' ELSE 'closed' END,
      NULL, CASE WHEN i % 3 = 0 THEN json_extract('${JSON.stringify(staffIds)}', '$[' || (i / 3 % ${staffIds.length}) || ']') END, 3, 2, 3,
      ${nowMs} - i * ${MINUTE}, ${nowMs} - (i * 37 % ${tickets}) * ${MINUTE}, ${nowMs} - i * ${MINUTE},
      ${nowMs} - i * ${MINUTE} + ${HOUR},
      CASE WHEN i % 10 > 4 THEN ${nowMs} - (i * 37 % ${tickets}) * ${MINUTE} END FROM n`);
  const words = `'ticket no ' || i || CASE s WHEN 1 THEN ' cannot join on port ' || (25000 + i % 977)
    ELSE ' the answer ' || s END || CASE WHEN i % 10 = 0 THEN ' common' ELSE '' END
    || CASE WHEN i = ${Math.floor(tickets / 2)} THEN ' rare' ELSE '' END`;
  const lines = `${each}, l (s) AS (VALUES (1), (2), (3))`;
  db.run(`INSERT INTO ticket_messages (id, ticket_id, seq, kind, author_id, text, created_ms)
    ${lines} SELECT ${id('e000', 'i * 4 + s')}, ${id('a000', 'i')}, s, CASE s WHEN 2 THEN 'staff' ELSE 'user' END,
      NULL, ${words}, ${nowMs} - i * ${MINUTE} + s FROM n, l`);
  db.run(`INSERT INTO ticket_texts (doc, message_id, words)
    ${lines} SELECT i * 1048576 + s, ${id('e000', 'i * 4 + s')}, ${words} FROM n, l`);
  db.run(`INSERT INTO ticket_tags (ticket_id, tag) ${each} SELECT ${id('a000', 'i')}, 'tag ' || (i % 20) FROM n`);
  for (const { sql } of made) db.run(sql);
  db.run("INSERT INTO ticket_words (ticket_words) VALUES ('rebuild')");
  db.run('COMMIT');
  db.run('PRAGMA optimize');
  db.close();
}

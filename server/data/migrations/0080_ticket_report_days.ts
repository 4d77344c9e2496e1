import { define, type Migration, type Step } from './migration.ts';

/** Columns of a ticket that its figures in reports follow from. */
const COUNTED = [
  'created_ms',
  'first_answer_ms',
  'closed_ms',
  'rated_ms',
  'rating',
  'merged_into',
  'department_id',
  'assignee_id',
];
/** When what is counted of a ticket happened: its figures are those of these times' days. */
const TIMES = ['created_ms', 'closed_ms', 'rated_ms'];

/**
 * Figures of tickets by day (decision 072), and marks of times whose day has to be counted anew. The database itself
 * makes them, so that no change of a ticket is missed, whoever makes it. A mark of its own for every change: one that a
 * count has seen differs from one that came later.
 */
export const ticketReportDays: Migration = {
  name: '0080_ticket_report_days',
  up: async (step) => {
    await define(step, [
      `CREATE TABLE ticket_report_days (
        from_ms INTEGER NOT NULL PRIMARY KEY,
        to_ms INTEGER NOT NULL,
        version INTEGER NOT NULL,
        figures TEXT NOT NULL
      )STRICT`,
      'CREATE TABLE ticket_report_marks (id TEXT NOT NULL PRIMARY KEY, at_ms INTEGER NOT NULL)STRICT',
      'CREATE INDEX ticket_report_marks_at ON ticket_report_marks (at_ms)',
    ]);
    const differs = step.dialect === 'postgres' ? 'IS DISTINCT FROM' : 'IS NOT';
    const changed = COUNTED.map((column) => `OLD.${column} ${differs} NEW.${column}`).join(' OR ');
    await mark(step, 'added', 'INSERT', '', ['NEW']);
    await mark(step, 'changed', `UPDATE OF ${COUNTED.join(', ')}`, `WHEN (${changed})`, ['OLD', 'NEW']);
    await mark(step, 'deleted', 'DELETE', '', ['OLD']);
  },
};

/** Has the database mark the times of a ticket. In: when, and of which of its states. */
async function mark(
  { raw, dialect }: Step,
  name: string,
  event: string,
  condition: string,
  states: readonly ('OLD' | 'NEW')[],
): Promise<void> {
  const id = dialect === 'postgres' ? 'gen_random_uuid()::text' : 'lower(hex(randomblob(16)))';
  const times = states.flatMap((state) => TIMES.map((column) => `SELECT ${state}.${column} AS at_ms`));
  const insert = `INSERT INTO ticket_report_marks (id, at_ms)
    SELECT ${id}, at_ms FROM (${times.join(' UNION ')}) AS times WHERE at_ms IS NOT NULL`;
  if (dialect === 'postgres')
    await raw.run(
      `CREATE FUNCTION tickets_mark_${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${insert}; RETURN NULL; END $$`,
    );
  const body = dialect === 'postgres' ? `EXECUTE FUNCTION tickets_mark_${name}()` : `BEGIN ${insert}; END`;
  await raw.run(`CREATE TRIGGER tickets_mark_${name} AFTER ${event} ON tickets FOR EACH ROW ${condition} ${body}`);
}

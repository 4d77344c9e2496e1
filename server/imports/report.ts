import type { Database } from 'bun:sqlite';
import type { ImportFiles, ImportNote } from '../modules/imports/index.ts';
import type { RecordStore } from './records.ts';
import type { ImportSummary } from './summary.ts';

/** What a run comes to, in lines for a terminal. */
export function* listReport({ kinds, notes, credits, roles, read }: ImportSummary): Generator<string> {
  for (const [kind, { ready, already, left, done }] of Object.entries(kinds))
    if (ready + already + left + done > 0)
      yield `${kind.padEnd(8)} ${ready} to come, ${done} came, ${already} came before, ${left} left`;
  yield `credits  ${credits.found} found: ${credits.coming} coming, ${credits.already} came before, ${credits.cut} cut, ${credits.left} of who does not come; below 0: ${credits.negative}`;
  for (const { name, users, to, toName, permissions, unmatched } of roles)
    yield `role     ${name} (${users} users): proposed ${to === 'new' ? `a new role with ${permissions.join(', ')}` : toName || 'the role of new users'}${unmatched > 0 ? `; ${unmatched} rights have no counterpart` : ''}`;
  for (const { kind, reason, n } of notes) yield `  ${kind} ${reason}: ${n}`;
  const { broken, latin1, mended } = read;
  if (Number(broken) + Number(latin1) + Number(mended) > 0)
    yield `texts    ${String(latin1)} not UTF-8, ${String(mended)} mended; ${String(broken)} broken rows`;
}

/** A cell of CSV. What a spreadsheet would take for a formula begins with an apostrophe. */
function toCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Notes that are read in one go. */
const NOTES = 1000;
type NotesAsked = Parameters<ImportFiles['listNotes']>[1];

/** What was said of rows, in order, after one. In: the working file. */
export function listNotes(db: Database, { kind, reason, after, limit }: NotesAsked): ImportNote[] {
  const where = [
    ...(kind === undefined ? [] : ['kind = $kind']),
    ...(reason === undefined ? [] : ['reason = $reason']),
    'seq > $after',
  ];
  return db
    .query<ImportNote, Record<string, string | number>>(
      `SELECT seq, kind, id, label, reason FROM notes WHERE ${where.join(' AND ')} ORDER BY seq LIMIT $limit`,
    )
    .all({ ...(kind === undefined ? {} : { kind }), ...(reason === undefined ? {} : { reason }), after, limit });
}

/** Everything that was said of single rows, as CSV. In: how notes are read. */
export function* reportLines(
  list: (asked: Pick<NotesAsked, 'after' | 'limit'>) => readonly ImportNote[],
): Generator<string> {
  yield 'kind,id,name,reason\r\n';
  for (let after = 0; ;) {
    const notes = list({ after, limit: NOTES });
    if (notes.length > 0)
      yield notes
        .map(({ kind, id, label, reason }) => `${[kind, id, label, reason].map(toCell).join(',')}\r\n`)
        .join('');
    after = notes.at(-1)?.seq ?? after;
    if (notes.length < NOTES) return;
  }
}

/** The same of an open run. */
export const reportCsv = ({ staging }: RecordStore): Generator<string> =>
  reportLines((asked) => listNotes(staging.db, asked));

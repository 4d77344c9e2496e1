import type { RecordStore } from './records.ts';
import type { ImportSummary } from './summary.ts';

/** What a run comes to, in lines for a terminal. */
export function* listReport({ kinds, notes, credits, read }: ImportSummary): Generator<string> {
  for (const [kind, { ready, already, left, done }] of Object.entries(kinds))
    if (ready + already + left + done > 0)
      yield `${kind.padEnd(8)} ${ready} to come, ${done} came, ${already} came before, ${left} left`;
  yield `credits  ${credits.found} found: ${credits.coming} coming, ${credits.already} came before, ${credits.cut} cut, ${credits.left} of who does not come; below 0: ${credits.negative}`;
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

/** Everything that was said of single rows, as CSV. */
export function* reportCsv({ staging }: RecordStore): Generator<string> {
  yield 'kind,id,name,reason\r\n';
  for (const row of staging.rows('SELECT kind, id, label, reason FROM notes ORDER BY seq'))
    yield `${['kind', 'id', 'label', 'reason'].map((name) => toCell(row[name] ?? '')).join(',')}\r\n`;
}

import type { Param, Raw } from '#server/data/raw.ts';
import type { InboxRepo } from '#server/modules/tickets/inbox-ports.ts';
import type { SearchedWord } from '#server/modules/tickets/words.ts';
import { toWords } from '#server/modules/tickets/words.ts';

/**
 * Lines that a ticket can have in the index: a line is known by its ticket's number and its own. A power of two, so
 * that those of a ticket stand together.
 */
const LINES_MAX = 1 << 20;
/** Lines that are asked for before it is known whether tickets have several of them. */
const FIRST = 6;

/** The number of a line in the index; those of newer tickets are higher. */
export const docOf = (number: number, seq: number): number => number * LINES_MAX + seq;

/** The words of a line in the index; those of the first one have the subject as well. */
export const wordsOfLine = (subject: string, { seq, text }: { readonly seq: number; readonly text: string }): string =>
  toWords(seq === 1 ? `${subject} ${text}` : text);

/** Adds the words of a line to the index. */
export async function addLineWords(
  raw: Raw,
  ticketId: string,
  { id, seq, text }: { readonly id: string; readonly seq: number; readonly text: string },
): Promise<void> {
  if (seq >= LINES_MAX) return;
  const ticket = await raw.one<{ number: number; subject: string }>(
    'SELECT number, subject FROM tickets WHERE id = ?',
    [ticketId],
  );
  if (!ticket) return;
  await raw.run('INSERT INTO ticket_texts (doc, message_id, words) VALUES (?, ?, ?)', [
    docOf(ticket.number, seq),
    id,
    wordsOfLine(ticket.subject, { seq, text }),
  ]);
}

/** The newest tickets of which PostgreSQL looks through the lines themselves, before it asks the index of words. */
const NEWEST = 5000;

/**
 * Lines that fit a search, the newest first. In: the words, before which line, and how many. Words have letters and
 * digits only and stand in quotes, so that none is a command of the engine's own language.
 */
function findDocs(raw: Raw, search: readonly SearchedWord[], before: number, limit: number): Promise<number[]> {
  if (raw.dialect === 'postgres') return findInVectors(raw, search, before, limit);
  const words = search.map(({ word, isBeginning }) => `"${word}"${isBeginning ? '*' : ''}`).join(' ');
  return docsOf(
    raw,
    'SELECT rowid AS doc FROM ticket_words WHERE ticket_words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    [words, before, limit],
  );
}

async function docsOf(raw: Raw, sql: string, params: readonly Param[]): Promise<number[]> {
  return (await raw.all<{ doc: number }>(sql, params)).map(({ doc }) => Number(doc));
}

/**
 * The same by tsvectors. The planner reads along the numbers where it takes words for common, and reads all lines there
 * are where those words never stand together (1.8 s among 3,000,000). So that way ends after the newest tickets, and
 * what is older is found by the index of words alone. For a transaction of its own: its settings end with it.
 */
async function findInVectors(
  raw: Raw,
  search: readonly SearchedWord[],
  before: number,
  limit: number,
): Promise<number[]> {
  const words = search.map(({ word, isBeginning }) => `'${word}'${isBeginning ? ':*' : ''}`).join(' & ');
  const [last] = await docsOf(raw, 'SELECT doc FROM ticket_texts WHERE doc < ? ORDER BY doc DESC LIMIT 1', [before]);
  if (last === undefined) return [];
  const from = docOf(Math.floor(last / LINES_MAX) - NEWEST, 0);
  const fits = 'SELECT doc FROM ticket_texts WHERE found @@ CAST(? AS tsquery)';
  await raw.run("SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)");
  const near = await docsOf(raw, `${fits} AND doc < ? AND doc >= ? ORDER BY doc DESC LIMIT ?`, [
    words,
    before,
    from,
    limit,
  ]);
  await raw.run("SELECT set_config('enable_bitmapscan', 'on', true)");
  if (near.length === limit) return near;
  // No other index fits a sum.
  const far = await docsOf(raw, `${fits} AND doc + 0 < ? ORDER BY doc + 0 DESC LIMIT ?`, [
    words,
    from,
    limit - near.length,
  ]);
  return [...near, ...far];
}

/** Whether the last of the tickets that were read is the last of those that were taken. */
const isLastOf = (docs: readonly number[], found: readonly number[]): boolean => {
  const last = docs.at(-1);
  return last === undefined || Math.floor(last / LINES_MAX) === found.at(-1);
};

/** Finds what was written in tickets. */
export function searchPart(raw: Raw): Pick<InboxRepo, 'findNumbers'> {
  return {
    async findNumbers(search, beforeNumber, { numbers: most, lines }) {
      const found: number[] = [];
      let before = beforeNumber === null ? Number.MAX_SAFE_INTEGER : docOf(beforeNumber, 0);
      // Every question about a beginning has to put together the lines of all words that begin so: few are asked.
      const isBeginning = search.some((each) => each.isBeginning);
      let isRepeated = false;
      for (let left = lines; found.length < most && left > 0;) {
        // Where a ticket has several lines with the words, each line that is asked for is one of another ticket.
        const wanted = isBeginning ? left : isRepeated ? 1 : found.length === 0 ? FIRST : most - found.length;
        const asked = Math.min(wanted, left, isBeginning ? left : most - found.length);
        const docs = await findDocs(raw, search, before, asked);
        for (const doc of docs) {
          const number = Math.floor(doc / LINES_MAX);
          if (found.at(-1) === number) isRepeated = true;
          else if (found.length < most) found.push(number);
        }
        if (docs.length < asked) return { numbers: found, isEnd: isLastOf(docs, found) };
        left -= docs.length;
        before = docOf(found.at(-1) ?? 0, 0);
      }
      return { numbers: found, isEnd: false };
    },
  };
}

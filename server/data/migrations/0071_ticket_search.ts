import { toWords } from '#server/modules/tickets/words.ts';
import type { Raw } from '../raw.ts';
import { define, type Migration } from './migration.ts';

/** Messages that are read at a time. */
const BATCH = 500;

/**
 * The words of what was written in tickets, and an index over them (decision 065). The tables that hold them are alike
 * on both engines; the index is none of a backup, and is made anew from them.
 */
export const ticketSearch: Migration = {
  name: '0071_ticket_search',
  up: async (step) => {
    const { raw, dialect } = step;
    await define(step, [
      `CREATE TABLE ticket_texts (
        doc INTEGER NOT NULL PRIMARY KEY,
        message_id TEXT NOT NULL UNIQUE REFERENCES ticket_messages (id) ON DELETE CASCADE,
        words TEXT NOT NULL
      )STRICT`,
    ]);
    for (const statement of dialect === 'sqlite' ? SQLITE : POSTGRES) await raw.run(statement);
    await addWords(raw);
  },
};

const SQLITE = [
  `CREATE VIRTUAL TABLE ticket_words USING fts5(words, content='ticket_texts', content_rowid='doc', tokenize='unicode61')`,
  `CREATE TRIGGER ticket_texts_added AFTER INSERT ON ticket_texts BEGIN
     INSERT INTO ticket_words (rowid, words) VALUES (new.doc, new.words);
   END`,
  `CREATE TRIGGER ticket_texts_deleted AFTER DELETE ON ticket_texts BEGIN
     INSERT INTO ticket_words (ticket_words, rowid, words) VALUES ('delete', old.doc, old.words);
   END`,
  `CREATE TRIGGER ticket_texts_changed AFTER UPDATE ON ticket_texts BEGIN
     INSERT INTO ticket_words (ticket_words, rowid, words) VALUES ('delete', old.doc, old.words);
     INSERT INTO ticket_words (rowid, words) VALUES (new.doc, new.words);
   END`,
];
const POSTGRES = [
  "ALTER TABLE ticket_texts ADD COLUMN found tsvector GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED",
  'CREATE INDEX ticket_words ON ticket_texts USING gin (found)',
];

/** Adds the words of what was written before there was an index. */
async function addWords(raw: Raw): Promise<void> {
  for (let last = ''; ;) {
    const rows = await raw.all<{ id: string; doc: number; seq: number; subject: string; text: string }>(
      `SELECT m.id, t.number * 1048576 + m.seq AS doc, m.seq, t.subject, m.text
       FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id
       WHERE m.id > ? AND m.kind <> 'event' AND m.seq < 1048576 ORDER BY m.id LIMIT ?`,
      [last, BATCH],
    );
    for (const { id, doc, seq, subject, text } of rows)
      await raw.run('INSERT INTO ticket_texts (doc, message_id, words) VALUES (?, ?, ?)', [
        doc,
        id,
        toWords(seq === 1 ? `${subject} ${text}` : text),
      ]);
    if (rows.length < BATCH) return;
    last = rows.at(-1)?.id ?? '';
  }
}

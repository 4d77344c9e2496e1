import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { MailCursor, OutboxQuery, StoredMail } from '#server/modules/mailing/ports.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

setDefaultTimeout(300_000);

const STATES = ['sent', 'sent', 'sent', 'failed', 'queued'] as const;
const TEMPLATES = ['verify', 'newDevice', 'serverReady'] as const;
/** So many that addresses with `player` are read along time, and those with `ann` one by one. */
const COUNT = 2600;
const PAGE = 400;
const MAILS = Array.from({ length: COUNT }, (_, at) => ({
  id: `m${String((at * 7919) % COUNT).padStart(5, '0')}`,
  user: at % 50 === 0 ? 'u-bob' : null,
  address: at % 13 === 0 ? `ann${at}@mail.example` : `player${at}@mail.example`,
  template: TEMPLATES[at % 3] ?? 'verify',
  state: STATES[at % 5] ?? 'sent',
  // Several in the same millisecond.
  createdMs: 1000 + Math.floor((at * 37) / 100),
}));
const NEWEST = MAILS.toSorted((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? 1 : -1));
/** The user of some of them, by name and by address. */
const BOB = ['bob', 'robert@mail.example'];

describe.each(ENGINES)('the lists of the outbox on %s', (engine) => {
  let db: TestDb;
  beforeAll(async () => {
    db = await openTestDb(engine);
    await db.sql(
      "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
    );
    await db.sql(
      `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms)
       VALUES ('u-bob', 'bob', 'bob', 'robert@mail.example', 'robert@mail.example', '', '', '', 'r', 'en', 'active', 0, 0, 0, 0)`,
    );
    const columns =
      'id, user_id, address, template, locale, subject, text, html, state, attempts, message_id, created_ms, bounced';
    for (let from = 0; from < COUNT; from += 650) {
      const some = MAILS.slice(from, from + 650);
      await db.sql(
        `INSERT INTO mails (${columns}) VALUES ${some.map(() => "(?, ?, ?, ?, 'en', 's', 't', 'h', ?, 1, ?, ?, 0)").join(', ')}`,
        some.flatMap((mail) => [
          mail.id,
          mail.user,
          mail.address,
          mail.template,
          mail.state,
          `<${mail.id}>`,
          mail.createdMs,
        ]),
      );
    }
  });
  afterAll(() => db.close());

  /** All pages of a question, one after the other. */
  async function listAll(query: OutboxQuery): Promise<string[]> {
    const ids: string[] = [];
    let before: MailCursor | null = null;
    let found = PAGE;
    while (found === PAGE) {
      const cursor: MailCursor | null = before;
      const page: StoredMail[] = await db.uow.read((tx) => tx.mail.listOutbox(query, cursor, PAGE));
      ids.push(...page.map(({ id }) => id));
      found = page.length;
      before = page.at(-1) ?? null;
    }
    return ids;
  }
  const SEARCHES = [undefined, 'player', 'ann', 'ann13@mail.example', 'nobody', ...BOB];
  const QUERIES: OutboxQuery[] = SEARCHES.flatMap((search) =>
    [undefined, 'failed' as const, 'sent' as const].flatMap((state) =>
      [undefined, 'newDevice', 'test'].map((template) => ({ search, state, template })),
    ),
  );

  test('every filter, alone and with others, finds what it should, in pages without gap or repetition', async () => {
    for (const query of QUERIES) {
      const wanted = NEWEST.filter(
        ({ state, template, address, user }) =>
          (query.state === undefined || state === query.state) &&
          (query.template === undefined || template === query.template) &&
          (query.search === undefined ||
            address.startsWith(query.search) ||
            (user !== null && BOB.includes(query.search))),
      );
      expect({ query, ids: await listAll(query) }).toEqual({ query, ids: wanted.map(({ id }) => id) });
    }
  });
});

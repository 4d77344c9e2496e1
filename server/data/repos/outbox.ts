import type { Selectable } from 'kysely';
import { alongIndex, joinInOrder, type Param, type Raw } from '#server/data/raw.ts';
import type { Mails } from '#server/data/schema.ts';
import type { MailCursor, OutboxQuery } from '#server/modules/mailing/ports.ts';
import type { MailState } from '#shared/mails.ts';
import { normaliseName } from '#shared/names.ts';

type MailRow = Selectable<Mails>;
type Condition = readonly [sql: string, ...values: Param[]];

/** After every text that begins with another one, byte by byte. */
const LAST = '\u{10FFFF}';
/** States that nearly every mail ends in: reading along them is no quicker than reading along time. */
const FREQUENT: readonly MailState[] = ['sent', 'kept'];
/** Mails to addresses that begin alike, from which on they are read along time: one of a few will do. */
const MANY = 2000;
const NEWEST = 'ORDER BY m.created_ms DESC, m.id DESC LIMIT ?';

/**
 * The questions of the outbox about the mails of everybody; each takes about as long among a million mails as among
 * few.
 */
export function createOutboxQuestions(raw: Raw) {
  const select = (from: string, conditions: readonly Condition[], limit: number): Promise<MailRow[]> =>
    raw.all<MailRow>(
      `SELECT m.* FROM ${from} WHERE ${[raw.stopCondition, ...conditions.map(([sql]) => sql)].join(' AND ')} ${NEWEST}`,
      [...conditions.flatMap(([, ...values]) => values), limit],
    );

  /** Mails to addresses that begin with a text, and to the user of that name or address. */
  async function search(text: string, narrowed: readonly Condition[], limit: number): Promise<MailRow[]> {
    const key = normaliseName(text);
    const users = await raw.all<{ id: string }>(
      'SELECT id FROM users WHERE username_key = ? UNION SELECT id FROM users WHERE email_key = ?',
      [key, key],
    );
    const ids = users.map(({ id }) => id);
    const marks = ids.length === 0 ? 'NULL' : ids.map(() => '?').join(', ');
    const range = [text, text + LAST];
    const toAddress = `mails${alongIndex(raw, 'mails_address')} WHERE address >= ? AND address < ?`;
    const isCommon = await raw.one(`SELECT 1 AS found FROM ${toAddress} LIMIT 1 OFFSET ${MANY}`, range);
    if (isCommon) {
      const either: Condition = [`(m.address >= ? AND m.address < ? OR m.user_id IN (${marks}))`, ...range, ...ids];
      return select(`mails m${alongIndex(raw, 'mails_created')}`, [either, ...narrowed], limit);
    }
    const toUser = `mails${alongIndex(raw, 'mails_user')} WHERE user_id IN (${marks})`;
    const conditions: Condition[] = [['1 = 1', ...range, ...ids], ...narrowed];
    const either = `(SELECT id FROM ${toAddress} UNION SELECT id FROM ${toUser}) found`;
    return select(`${either} ${joinInOrder(raw)} mails m ON m.id = found.id`, conditions, limit);
  }

  return {
    /** The newest mails that fit, before a cursor. */
    list({ state, template, search: text }: OutboxQuery, before: MailCursor | null, limit: number): Promise<MailRow[]> {
      const narrowed: Condition[] = [
        ...(state === undefined ? [] : [['m.state = ?', state] as const]),
        ...(template === undefined ? [] : [['m.template = ?', template] as const]),
        ...(before === null ? [] : [['(m.created_ms, m.id) < (?, ?)', before.createdMs, before.id] as const]),
      ];
      if (text !== undefined) return search(text, narrowed, limit);
      const byState = state !== undefined && (template === undefined || !FREQUENT.includes(state));
      const index = byState ? 'mails_state' : template === undefined ? 'mails_created' : 'mails_template';
      return select(`mails m${alongIndex(raw, index)}`, narrowed, limit);
    },
  };
}

import { expect, test } from 'bun:test';
import { MOST_STATEMENTS, statementsOfCommands } from './statements.ts';

/** What a statement does, to which table: how a failure says which one came. */
const nameOf = (sql: string): string =>
  /^\s*(\w+)[^]*?\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.slice(1).join(' ').toLowerCase() ??
  sql.slice(0, 40).toLowerCase();

test('no command sends more statements to the database than it has as its bound', async () => {
  const { commands } = await statementsOfCommands();
  const tooMany = Object.entries(MOST_STATEMENTS).flatMap(([name, most]) => {
    const sent = commands[name as keyof typeof MOST_STATEMENTS];
    return sent.length > most ? [{ name, most, sent: sent.map(({ sql }) => nameOf(sql)) }] : [];
  });
  expect(tooMany).toEqual([]);
  // A counter that hears nothing would let everything pass.
  expect(commands.buy.map(({ sql }) => nameOf(sql))).toContain('insert store_purchases');
}, 60_000);

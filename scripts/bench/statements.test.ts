import { expect, test } from 'bun:test';
import { ENGINES } from '#tests/support/db.ts';
import { dropDatabase, makeDatabase } from '#tests/support/postgres.ts';
import { MOST_STATEMENTS, perServer, statementsOfCommands } from './statements.ts';

/** What a statement does, to which table: how a failure says which one came. */
const nameOf = (sql: string): string =>
  /^\s*(\w+)[^]*?\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.slice(1).join(' ').toLowerCase() ??
  sql.slice(0, 40).toLowerCase();

test.each(ENGINES)(
  'no command sends more statements to the database than it has as its bound, and no server in the queue, on %s',
  async (engine) => {
    const name = `statements_${crypto.randomUUID()}`;
    const url = engine === 'postgres' ? await makeDatabase(name) : undefined;
    const { commands, queue } = await statementsOfCommands(url);
    if (url !== undefined) await dropDatabase(name);
    const { queue: mostOfServer, ...most } = MOST_STATEMENTS[engine];
    const tooMany = Object.entries(most).flatMap(([command, bound]) => {
      const sent = commands[command as keyof typeof most];
      return sent.length > bound ? [{ command, bound, sent: sent.map(({ sql }) => nameOf(sql)) }] : [];
    });
    expect(tooMany).toEqual([]);
    expect(perServer(queue)).toBeLessThanOrEqual(mostOfServer);
    // A counter that hears nothing would let everything pass.
    expect(commands.buy.map(({ sql }) => nameOf(sql))).toContain('insert store_purchases');
    expect(queue.map(({ sql }) => nameOf(sql))).toContain('insert server_events');
  },
  120_000,
);

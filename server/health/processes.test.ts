import { expect, test } from 'bun:test';
import { createHealth } from '#server/modules/health/index.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { processesCheck } from './processes.ts';

/** What the check says of a process, in codes. */
async function rowsOf(channel: Parameters<typeof processesCheck>[0]['database']['channel']) {
  const never = () => Promise.reject(new Error('no question to the database'));
  const health = createHealth({
    uow: { run: never, read: never },
    long: { read: never },
    clock: fakeClock(),
    log: testLog(),
    checks: [processesCheck({ database: { channel } })],
    limitMs: 200,
  });
  return (await health.check({ all: true })).rows.map(({ code, status, figure }) => `${code} ${status} ${figure}`);
}
const start = () => Promise.resolve();

test('a process that hears the others says how many serve, and one that does not is a warning', async () => {
  expect(await rowsOf({ start, state: () => ({ isListening: true, processes: 3 }) })).toEqual(['ok ok 3']);
  expect(await rowsOf({ start, state: () => ({ isListening: false, processes: 1 }) })).toEqual(['deaf warning null']);
});

test('an installation on SQLite has no row about processes, nor has a command that does not serve', async () => {
  expect(await rowsOf(null)).toEqual([]);
  expect(await rowsOf({ start, state: () => null })).toEqual([]);
});

import { expect, test } from 'bun:test';
import { SESSION_TABLE, type SessionEffect, type SessionEvent, type SessionState } from './session-machine.ts';

const STATES: readonly SessionState[] = ['none', 'starting', 'active', 'refreshing', 'failed', 'blocked'];
const EVENTS: readonly SessionEvent[] = [
  'ask',
  'cookie-gone',
  'answer',
  'refused',
  'unavailable',
  'second-factor',
  'gave-up',
];

/**
 * The whole table, typed from the specification, section 4: a row for each state, a column for each event in the order
 * above; `·` changes nothing.
 */
const NEXT: Readonly<Record<SessionState, string>> = {
  //          ask        cookie-gone answer refused unavailable second-factor gave-up
  none: '     starting   none        active ·       ·           ·             ·',
  starting: ' ·          none        active failed  failed      blocked       failed',
  active: '   refreshing none        active failed  failed      blocked       ·',
  refreshing: '·         none        active failed  failed      blocked       active',
  failed: '   starting   none        active ·       ·           ·             ·',
  blocked: '  starting   none        active ·       ·           ·             ·',
};

const cells = STATES.flatMap((state) => {
  const row = NEXT[state].trim().split(/\s+/);
  return EVENTS.map((event, column) => [state, event, row[column] ?? ''] as const);
});

test('the expectation has a cell for each state and event', () => {
  expect(cells).toHaveLength(STATES.length * EVENTS.length);
  expect(cells.filter(([, , next]) => next === '')).toEqual([]);
  expect(Object.keys(SESSION_TABLE).sort()).toEqual([...STATES].sort());
  for (const row of Object.values(SESSION_TABLE))
    expect(Object.keys(row).filter((event) => !(EVENTS as readonly string[]).includes(event))).toEqual([]);
});

test.each(cells)('S4.1 S4.2 S4.5 S4.6 S4.7 the state %s goes by the event %s to %s', (state, event, next) => {
  expect(SESSION_TABLE[state][event]?.[0] ?? '·').toBe(next as SessionState);
});

/** What is done besides, by where a step leads to; a refresh that found nobody keeps what is known. */
const DONE: Readonly<Partial<Record<SessionEvent, readonly SessionEffect[]>>> = {
  ask: [],
  'cookie-gone': ['forget'],
  answer: ['keep'],
  refused: ['forget', 'wipe', 'say-session-error'],
  unavailable: ['forget', 'wipe', 'say-unavailable'],
  'second-factor': ['forget', 'to-second-factor'],
};

test.each(cells.filter(([, event, next]) => next !== '·' && event !== 'gave-up'))(
  'S4.6 S4.7 S4.8 the state %s does at the event %s what section 4 says',
  (state, event) => {
    expect<readonly string[]>(SESSION_TABLE[state][event]?.slice(1) ?? ['nothing']).toEqual(DONE[event] ?? []);
  },
);

test('S8.4 giving up ends a session that has not started, and leaves a running one as it is', () => {
  expect(SESSION_TABLE.starting['gave-up']).toEqual(['failed', 'forget', 'wipe', 'say-start-failed']);
  expect(SESSION_TABLE.refreshing['gave-up']).toEqual(['active']);
});

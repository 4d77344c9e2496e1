import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import { testEvents } from '#tests/support/events.ts';
import { testLog } from '#tests/support/log.ts';
import { subscriber, type Events } from '../events/index.ts';
import { recordFaults } from './faults.ts';
import type { LedgerFault } from './ports.ts';

const clock = fakeClock();
let db: TestDb;
let log: ReturnType<typeof testLog>;
let events: Events;
let announced: [event: string, payload: object][];
beforeEach(async () => {
  db = await openTestDb();
  [log, announced] = [testLog(), []];
  const settings = {
    current: () => ({
      app_name: 'Spawnpoint',
      app_timezone: 'UTC',
      support_url: '',
      support_email: '',
      ticket_mail_enabled: false,
    }),
  };
  events = testEvents({ uow: db.uow, clock, ids: testIds(), settings });
  events.subscribe([
    subscriber('ledger.faults_found', async (_, payload) => void announced.push(['found', payload])),
    subscriber('ledger.faults_mended', async (_, payload) => void announced.push(['mended', payload])),
  ]);
});
afterEach(() => db.close());

const fault = (account: string): LedgerFault => ({
  proof: 'postings',
  account,
  id: null,
  stored: 8,
  expected: 5,
  text: `${account} is wrong`,
});
const faultsOf = (...users: readonly (string | number)[]) => users.map((user) => fault(`user:${user}`));
const record = (faults: readonly LedgerFault[]) => recordFaults({ uow: db.uow, clock, log, events }, faults);
const frozen = async () =>
  (
    await db.sql<{ account: string }>(
      'SELECT account FROM ledger_balances WHERE frozen_ms IS NOT NULL ORDER BY account',
    )
  ).map(({ account }) => account);

describe('E10 what a proof of the ledger found', () => {
  test('one fault is in the log and announced, and without a fault nothing is', async () => {
    await record([]);
    expect([log.lines, announced]).toEqual([[], []]);
    await record(faultsOf('ann'));
    expect(log.lines).toEqual([{ level: 'error', event: 'ledger.fault', fields: { faults: ['user:ann is wrong'] } }]);
    expect(announced).toEqual([['found', { count: 1, atMs: clock.now() }]]);
    await record(faultsOf('ann'));
    expect([log.lines.length, announced.length]).toEqual([2, 1]);
    await record([]);
    expect([log.lines.length, announced.at(-1)]).toEqual([2, ['mended', { atMs: clock.now() }]]);
    // Nothing is left that could be mended once more.
    await record([]);
    expect(announced).toHaveLength(2);
  });

  test('a fault that cannot be announced is not written down as known, nor as mended', async () => {
    const unheard = {
      uow: db.uow,
      clock,
      log,
      events: { emit: () => Promise.reject(new Error('nobody could be notified')) },
    };
    await expect(recordFaults(unheard, faultsOf('ann'))).rejects.toThrow('nobody could be notified');
    expect([await db.sql('SELECT * FROM ledger_faults'), await frozen()]).toEqual([[], []]);
    await record(faultsOf('ann'));
    await expect(recordFaults(unheard, [])).rejects.toThrow('nobody could be notified');
    expect(await frozen()).toEqual(['user:ann']);
  });

  test('pages of those who are frozen or freed hear of it, and of nobody else', async () => {
    const heard: string[] = [];
    for (const user of ['ann', 'bob']) db.bus.subscribe(`user:${user}`, (topic) => heard.push(topic));
    await record(faultsOf('ann'));
    expect(heard.splice(0)).toEqual(['user:ann']);
    await record(faultsOf('bob'));
    expect(heard.splice(0).toSorted()).toEqual(['user:ann', 'user:bob']);
    expect(await frozen()).toEqual(['user:bob']);
  });

  test('accounts of users are frozen, whichever of theirs it is, and never one of the system', async () => {
    await record(['user:a', 'hold:b', 'debt:c', 'system:store', 'system:user:d'].map(fault));
    expect(await frozen()).toEqual(['debt:c', 'hold:b', 'user:a']);
  });

  test('a proof that names as many as it can frees nobody, one that names fewer frees the others', async () => {
    await record(faultsOf('ann'));
    await record(faultsOf(...Array(50).keys()));
    expect(await frozen()).toContain('user:ann');
    await record(faultsOf(...Array(49).keys()));
    expect(await frozen()).not.toContain('user:ann');
    expect((await frozen()).length).toBe(49);
  });
});

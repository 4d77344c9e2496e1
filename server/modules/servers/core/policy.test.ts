import { describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import {
  assertAmounts,
  assertEggMinimum,
  assertFits,
  checkVariables,
  deletionPlan,
  toEnvironment,
  estimateMs,
  pollPauseMs,
  QUEUE,
  reminderDue,
  renewedExpiry,
  renewRefusal,
  suspendsAt,
  syncPauseMs,
  resourcesTaken,
  typicalBuildMs,
  updateRefusal,
} from './policy.ts';
import type { ServerReminder, ReminderKind } from './ports.ts';

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
const T = Date.UTC(2026, 5, 1);
const notice = (kind: ReminderKind, atMs: number, periodMs = T): ServerReminder => ({
  serverId: 's',
  periodMs,
  kind,
  atMs,
});
function errorOf(work: () => unknown): DomainError | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
const meters = (used: number, limit: number) => {
  const meter = { used, limit };
  return { memory: meter, disk: meter, cpu: meter, slots: meter, ports: meter, databases: meter, backups: meter };
};

describe('amounts and limits', () => {
  test('T22 the least amounts pass, and anything below or not whole does not', () => {
    expect(
      errorOf(() => assertAmounts({ memory: 256, disk: 256, cpu: 5, ports: 1, databases: 0, backups: 0 })),
    ).toBeNull();
    const error = errorOf(() =>
      assertAmounts({ memory: 255, disk: 0, cpu: 4.5, ports: NaN, databases: -1, backups: 0 }),
    );
    expect(error?.fields).toEqual({
      memory: ['TOO_SMALL'],
      disk: ['TOO_SMALL'],
      cpu: ['NOT_WHOLE'],
      ports: ['NOT_WHOLE'],
      databases: ['TOO_SMALL'],
    });
  });

  test('a new server takes all of it and a slot, a change only the difference', () => {
    expect(resourcesTaken(SMALL, null)).toEqual({ ...SMALL, slots: 1 });
    expect(resourcesTaken({ ...SMALL, memory: 300, ports: 4 }, SMALL)).toEqual({
      memory: -212,
      disk: 0,
      cpu: 0,
      slots: 0,
      ports: 3,
      databases: 0,
      backups: 0,
    });
  });

  test('T21 amounts fit up to the limit and not one more, and what shrinks always fits', () => {
    const nothing = { memory: 0, disk: 0, cpu: 0, slots: 0, ports: 0, databases: 0, backups: 0 };
    expect(errorOf(() => assertFits(meters(5, 10), { ...nothing, memory: 5 }))).toBeNull();
    expect(errorOf(() => assertFits(meters(5, 10), { ...nothing, cpu: 6, backups: 6 }))).toMatchObject({
      code: 'NOT_ENOUGH_CPU',
      fields: { cpu: ['NOT_ENOUGH'], backups: ['NOT_ENOUGH'] },
    });
    expect(errorOf(() => assertFits(meters(20, 10), { ...nothing, memory: -1 }))).toBeNull();
    expect(errorOf(() => assertFits(meters(20, 10), nothing))).toBeNull();
    expect(errorOf(() => assertFits(meters(0, 0), { ...nothing, databases: 1 }))?.code).toBe('NOT_ENOUGH_DATABASES');
  });

  test('the egg’s minimum counts for what changes', () => {
    const egg = { minMemory: 1024, minDisk: 512, minCpu: 50 };
    expect(errorOf(() => assertEggMinimum(egg, SMALL))).toMatchObject({
      code: 'BELOW_EGG_MINIMUM',
      fields: { memory: ['BELOW_MINIMUM'] },
    });
    expect(errorOf(() => assertEggMinimum(egg, SMALL, SMALL))).toBeNull();
    expect(errorOf(() => assertEggMinimum(egg, { ...SMALL, memory: 600 }, SMALL))?.code).toBe('BELOW_EGG_MINIMUM');
  });
});

describe('variables', () => {
  const variable = (env: string, facts: object = {}) => ({
    env,
    name: env,
    description: '',
    default_value: 'd',
    rules: 'required',
    user_editable: true,
    ...facts,
  });

  test('only values that differ from the default are kept', () => {
    expect(checkVariables([variable('A'), variable('B')], { A: 'd', B: 'x' })).toEqual({ B: 'x' });
  });
  test('a default that breaks its own rule must be filled in', () => {
    expect(errorOf(() => checkVariables([variable('A', { default_value: '' })], {}))?.fields).toEqual({
      'variables.A': ['REQUIRED'],
    });
  });
  test('a fixed variable has its default, whatever is stored', () => {
    expect(
      toEnvironment([variable('A'), variable('B', { user_editable: false })], { A: 'mine', B: 'mine', C: 'mine' }),
    ).toEqual({ A: 'mine', B: 'd' });
  });
});

describe('renewal', () => {
  test('T12 a renewal counts from the later of now and the old expiry, plus whole days, over leap days and changes of the clock', () => {
    expect(renewedExpiry(T, T + DAY, 30)).toBe(T + 31 * DAY);
    expect(renewedExpiry(T, T - 40 * DAY, 30)).toBe(T + 30 * DAY);
    expect(renewedExpiry(T, null, 30)).toBe(T + 30 * DAY);
    expect(new Date(renewedExpiry(Date.UTC(2028, 1, 15), null, 30)).toISOString()).toBe('2028-03-16T00:00:00.000Z');
    expect(new Date(renewedExpiry(Date.UTC(2026, 9, 20, 23, 30), null, 30)).toISOString()).toBe(
      '2026-11-19T23:30:00.000Z',
    );
  });

  test('the policy says what can be renewed, and how far', () => {
    const terms = { days: 30, maxDays: 90 };
    const of = (state: 'active' | 'suspended' | 'queued', suspendReason: 'expired' | 'ban' | null, expiresMs: number) =>
      renewRefusal({ state, suspendReason, expiresMs }, T, terms);
    expect(of('active', null, T + 60 * DAY)).toBeNull();
    expect(of('active', null, T + 60 * DAY + 1)).toBe('RENEW_TOO_FAR');
    expect(of('suspended', 'expired', T - DAY)).toBeNull();
    expect(of('suspended', 'ban', T)).toBe('SERVER_SUSPENDED');
    expect(of('queued', null, T)).toBe('SERVER_NOT_READY');
  });

  test('T12 the latest of the reminders whose moment has come is sent, once', () => {
    const due = (at: number, sent: ServerReminder[] = [], days = 30) => reminderDue({ expiresMs: T }, sent, at, days);
    expect(due(T - 7 * DAY - 1)).toBeNull();
    expect(due(T - 7 * DAY)).toBe('remind7');
    expect(due(T - 7 * DAY, [notice('remind7', T - 7 * DAY)])).toBeNull();
    expect(due(T - 2 * DAY)).toBe('remind3');
    expect(due(T - HOUR)).toBe('remind1');
    // Past its end it is not reminded of as if it were to come.
    expect(due(T + 9 * DAY)).toBe('remindOver');
    // A clock that went back does not bring an earlier one.
    expect(due(T - 4 * DAY, [notice('remind3', T - 3 * DAY)])).toBeNull();
    // One of another period does not count.
    expect(due(T - HOUR, [notice('remind1', T - 31 * DAY, T - 30 * DAY)])).toBe('remind1');
    expect(due(T - 5 * DAY, [], 7)).toBeNull();
    expect(due(T - 2 * DAY, [], 2)).toBeNull();
    expect(due(T - DAY, [], 1)).toBe('remind1');
  });

  test('T12 a server is suspended at the end, but not without a day of notice', () => {
    expect(suspendsAt({ expiresMs: T }, [])).toBeNull();
    expect(suspendsAt({ expiresMs: T }, [notice('remind7', T - 7 * DAY)])).toBe(T);
    expect(suspendsAt({ expiresMs: T }, [notice('remind1', T - DAY + MINUTE)])).toBe(T);
    expect(suspendsAt({ expiresMs: T }, [notice('remind1', T + 3 * DAY)])).toBe(T + 4 * DAY);
    expect(suspendsAt({ expiresMs: T }, [notice('remind1', T - DAY, T - 30 * DAY)])).toBeNull();
  });

  test('T12 the grace counts from the suspension, and a day lies between warning and deletion', () => {
    expect(deletionPlan(T, [], 7)).toBeNull();
    expect(deletionPlan(T, [notice('suspended', T)], 7)).toEqual({
      warnMs: T + 6 * DAY,
      deleteMs: T + 7 * DAY,
      warned: false,
    });
    expect(deletionPlan(T, [notice('suspended', T), notice('deleteWarning', T + 20 * DAY)], 7)).toEqual({
      warnMs: T + 6 * DAY,
      deleteMs: T + 21 * DAY,
      warned: true,
    });
    expect(deletionPlan(T, [notice('suspended', T + 4 * DAY)], 7)).toEqual({
      warnMs: T + 10 * DAY,
      deleteMs: T + 11 * DAY,
      warned: false,
    });
    expect(deletionPlan(T, [notice('suspended', T)], 0)).toEqual({ warnMs: T, deleteMs: T + DAY, warned: false });
  });

  test('E5 an outage over the end makes earlier reminders void, and a day counts from when we were up again', () => {
    const sent = [notice('remind7', T - 7 * DAY), notice('remind3', T - 3 * DAY)];
    const back = T + 13 * DAY;
    expect(reminderDue({ expiresMs: T }, sent, back, 30, back)).toBe('remindOver');
    expect(suspendsAt({ expiresMs: T }, sent, back)).toBeNull();
    expect(suspendsAt({ expiresMs: T }, [...sent, notice('remindOver', back)], back)).toBe(back + DAY);
    expect(reminderDue({ expiresMs: T }, [...sent, notice('remindOver', back)], back + HOUR, 30, back)).toBeNull();
    // Up again in the last hours before the end: the last day is announced again as well.
    expect(reminderDue({ expiresMs: T }, [...sent, notice('remind1', T - DAY)], T - HOUR, 30, T - HOUR)).toBe(
      'remind1',
    );
    expect(suspendsAt({ expiresMs: T }, [notice('remind1', T - HOUR)], T - HOUR)).toBe(T + 23 * HOUR);
    // Up again long before the end: what was sent stands.
    expect(reminderDue({ expiresMs: T }, sent, T - 2 * DAY, 30, T - 2 * DAY)).toBeNull();
  });

  test('E5 a deletion whose day fell into an outage is announced again', () => {
    const sent = [notice('suspended', T), notice('deleteWarning', T + 6 * DAY)];
    const outages = [{ fromMs: T + 6.5 * DAY, untilMs: T + 20 * DAY }];
    expect(deletionPlan(T, sent, 7, outages)?.warned).toBe(false);
    expect(deletionPlan(T, [notice('suspended', T), notice('deleteWarning', T + 20 * DAY)], 7, outages)).toEqual({
      warnMs: T + 6 * DAY,
      deleteMs: T + 21 * DAY,
      warned: true,
    });
    expect(deletionPlan(T, sent, 7, [{ fromMs: T + DAY, untilMs: T + 3 * DAY }])?.warned).toBe(true);
  });

  test('changes wait until a server is in use', () => {
    expect(
      ['active', 'suspended', 'deleting', 'queued', 'installing', 'failed'].map((state) =>
        updateRefusal(state as 'active'),
      ),
    ).toEqual([null, 'SERVER_SUSPENDED', 'SERVER_BUSY', 'SERVER_NOT_READY', 'SERVER_NOT_READY', 'SERVER_NOT_READY']);
  });
});

describe('times of the queue', () => {
  test('the estimate counts who is ahead, so many at a time', () => {
    expect(estimateMs(1, 0, 1000)).toBe(1000);
    expect(estimateMs(1, QUEUE.width, 1000)).toBe(2000);
    expect(estimateMs(QUEUE.width + 1, QUEUE.width, 1000)).toBe(3000);
  });
  test('a build takes as long as the latest did, else what the panel says', () => {
    expect(typicalBuildMs([2000, 4000], 9000)).toBe(3000);
    expect(typicalBuildMs([], 9000)).toBe(9000);
    expect(typicalBuildMs([], 0)).toBe(1000);
    expect(typicalBuildMs([], null)).toBe(MINUTE);
  });
  test('pauses grow and end', () => {
    expect([0, 8, 40, 10_000].map((seconds) => pollPauseMs(seconds * 1000))).toEqual([1000, 2000, 10_000, 30_000]);
    expect([0, 1, 2, 50].map(syncPauseMs)).toEqual([5000, 15_000, 45_000, 10 * MINUTE]);
    expect(QUEUE.pausesMs).toHaveLength(QUEUE.attempts - 1);
  });
});

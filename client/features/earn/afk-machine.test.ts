import { describe, expect, test } from 'bun:test';
import type { ErrorCode } from '#shared/errors.ts';
import { AFK_PHASES, INITIAL_STATE, step } from './afk-machine.ts';
import type { AfkEnd, AfkEvent, AfkPhase, AfkMachineState, AfkServerState } from './afk-machine.ts';

const none: AfkServerState = { session: null, earned_today: 12, cap: 480, per_minute: 1, budget: 0, budget_used: 0 };
const session = (id: string, device = 'Firefox · Android'): NonNullable<AfkServerState['session']> => ({
  id,
  device,
  started_at: '2026-11-21T16:15:00.000Z',
  earned: 3,
  counted_ms: 200_000,
  next_payout_ms: 40_000,
});
const ours: AfkServerState = { ...none, session: session('a') };
const theirs: AfkServerState = { ...none, session: session('b') };
const full: AfkServerState = { ...none, earned_today: 480 };
const spent: AfkServerState = { ...none, budget: 1000, budget_used: 1000 };

/** A state of each phase, with what such a state carries. */
const at = (phase: AfkPhase, more: Partial<AfkMachineState> = {}): AfkMachineState => ({
  ...INITIAL_STATE,
  phase,
  id: ['connecting', 'running', 'reconnecting'].includes(phase) ? 'a' : null,
  attempt: phase === 'reconnecting' ? 2 : 0,
  ...more,
});
const loaded = (server: AfkServerState, mine: string | null = 'a'): AfkEvent => ({ type: 'loaded', server, mine });
const ended = (reason: AfkEnd, device: string | null = null): AfkEvent => ({ type: 'ended', reason, device });
const refused = (code: ErrorCode): AfkEvent => ({ type: 'refused', code });

const HOLDING: readonly AfkPhase[] = ['connecting', 'running', 'reconnecting'];
const ASKING: readonly AfkPhase[] = ['starting', 'stopping'];
const RESTING = AFK_PHASES.filter((phase) => !HOLDING.includes(phase) && !ASKING.includes(phase));

/** From phase, on event, to phase. Whatever is not listed leaves the phase as it is. */
const TABLE: readonly (readonly [readonly AfkPhase[], string, AfkEvent, AfkPhase])[] = [
  [['checking', 'off', 'elsewhere', 'full', 'budget'], 'nothing runs', loaded(none), 'off'],
  [RESTING, 'this tab’s session runs', loaded(ours), 'connecting'],
  [RESTING, 'another session runs', loaded(theirs), 'elsewhere'],
  [RESTING, 'a session runs and this tab remembers none', loaded(ours, null), 'elsewhere'],
  [RESTING, 'the cap is reached', loaded(full), 'full'],
  [RESTING, 'the budget is spent', loaded(spent), 'budget'],
  [HOLDING, 'asked: still ours', { type: 'checked', server: ours }, 'connecting'],
  [HOLDING, 'asked: taken over', { type: 'checked', server: theirs }, 'elsewhere'],
  [HOLDING, 'asked: gone', { type: 'checked', server: none }, 'off'],
  [HOLDING, 'asked: full meanwhile', { type: 'checked', server: full }, 'full'],
  [HOLDING, 'asked: budget spent meanwhile', { type: 'checked', server: spent }, 'budget'],
  [RESTING, 'start', { type: 'start' }, 'starting'],
  [['starting'], 'started', { type: 'started', id: 'a', tookOver: null }, 'connecting'],
  [['starting'], 'refused: cap', refused('DAILY_CAP_REACHED'), 'full'],
  [['starting'], 'refused: budget', refused('BUDGET_SPENT'), 'budget'],
  [['starting'], 'refused: unverified', refused('ACCOUNT_UNVERIFIED'), 'unverified'],
  [['starting'], 'refused: turned off', refused('FEATURE_DISABLED'), 'closed'],
  [['starting'], 'refused: anything else', refused('RATE_LIMITED'), 'off'],
  [HOLDING, 'a beat was answered', { type: 'beaten' }, 'running'],
  [HOLDING, 'the line dropped', { type: 'lost' }, 'reconnecting'],
  [HOLDING, 'ended: taken over', ended('taken_over', 'Chrome · Windows'), 'elsewhere'],
  [HOLDING, 'ended: cap', ended('cap'), 'full'],
  [HOLDING, 'ended: budget', ended('budget'), 'budget'],
  [HOLDING, 'ended: idle', ended('idle'), 'off'],
  [HOLDING, 'ended: stopped', ended('stopped'), 'off'],
  [HOLDING, 'ended: disabled', ended('disabled'), 'closed'],
  [HOLDING, 'stop', { type: 'stop' }, 'stopping'],
  [['stopping'], 'stopped', { type: 'stopped' }, 'off'],
];

describe('the AFK machine', () => {
  for (const [from, what, event, to] of TABLE) {
    for (const phase of AFK_PHASES) {
      const goesTo = from.includes(phase) ? to : phase;
      test(`${phase}, ${what} → the machine goes to ${goesTo}`, () => {
        expect(step(at(phase), event).phase).toBe(goesTo);
      });
    }
  }

  test('an event without meaning in a phase returns the same object', () => {
    const off = at('off');
    expect(step(off, { type: 'beaten' })).toBe(off);
    expect(step(off, loaded(none))).toBe(off);
    const running = at('running');
    expect(step(running, { type: 'beaten' })).toBe(running);
    expect(step(running, loaded(theirs))).toBe(running);
  });

  test('the device is shown, whoever names it', () => {
    expect(step(at('checking'), loaded(theirs)).device).toBe('Firefox · Android');
    expect(step(at('running'), ended('taken_over', 'Chrome · Windows')).device).toBe('Chrome · Windows');
  });

  test('taking over is remembered through a reconnection and forgotten when dismissed', () => {
    let state = step(at('starting'), { type: 'started', id: 'a', tookOver: 'Firefox · Android' });
    state = step(step(step(state, { type: 'beaten' }), { type: 'lost' }), { type: 'checked', server: ours });
    expect(state).toMatchObject({ phase: 'connecting', id: 'a', tookOver: 'Firefox · Android', attempt: 1 });
    expect(step(state, { type: 'dismissed' }).tookOver).toBeNull();
  });

  test('tries are counted until a beat is answered', () => {
    let state = step(at('running'), { type: 'lost' });
    state = step(state, { type: 'lost' });
    expect(state.attempt).toBe(2);
    state = step(step(state, { type: 'checked', server: ours }), { type: 'lost' });
    expect(state.attempt).toBe(3);
    expect(step(state, { type: 'beaten' }).attempt).toBe(0);
  });

  test('a clock that stopped says why', () => {
    expect(step(at('reconnecting'), { type: 'checked', server: none }).note).toBe('idle');
    expect(step(at('running'), ended('stopped')).note).toBe('stopped');
    expect(step(step(at('running'), ended('idle')), loaded(none)).note).toBe('idle');
    expect(step(at('off', { note: 'idle' }), { type: 'start' }).note).toBeNull();
  });

  test('a refusal without a phase of its own keeps its code', () => {
    expect(step(at('starting'), refused('RATE_LIMITED')).code).toBe('RATE_LIMITED');
  });

  test('a minute that would go over the cap is not paid, so the day is full', () => {
    expect(step(at('checking'), loaded({ ...none, per_minute: 7, earned_today: 476 })).phase).toBe('full');
    expect(step(at('checking'), loaded({ ...none, per_minute: 7, earned_today: 473 })).phase).toBe('off');
    expect(step(at('checking'), loaded({ ...none, per_minute: 7, budget: 1000, budget_used: 994 })).phase).toBe(
      'budget',
    );
  });

  test('no cap and no budget never count as reached', () => {
    expect(step(at('checking'), loaded({ ...none, cap: 0, earned_today: 9000 })).phase).toBe('off');
    expect(step(at('checking'), loaded({ ...none, budget: 0, budget_used: 9000 })).phase).toBe('off');
  });
});

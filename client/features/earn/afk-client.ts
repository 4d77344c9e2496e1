import { ApiError } from '#shared/contract/client.ts';
import type { AfkState } from '#shared/contract/earn.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { INITIAL_STATE, hasSession, step } from './afk-machine.ts';
import type { AfkEnd, AfkEvent, AfkPhase, AfkMachineState } from './afk-machine.ts';
import type { AfkClient, AfkDeps, AfkSnapshot, Beat, Progress } from './afk-types.ts';

/**
 * Delays before reconnection attempts, in ms; the last repeats. Each is jittered by a quarter, so that not all clients
 * reconnect to a restarted server at once.
 */
export const RETRY_MS = [0, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
/** A stream that is silent for this long counts as dead: challenges come every few seconds. */
export const SILENCE_MS = 45_000;

const END_REASONS: readonly string[] = [
  'taken_over',
  'cap',
  'budget',
  'idle',
  'stopped',
  'disabled',
] satisfies AfkEnd[];

/**
 * The engine of the AFK page (behaviour 4.1): starts, keeps the stream open, answers its challenges, reconnects, and
 * reports. It decides nothing about payouts; the server's clock does. In: the loader's state and the dependencies.
 */
export function createAfkClient(first: AfkState, deps: AfkDeps): AfkClient {
  const engine = new Engine(first, deps);
  return {
    subscribe: (listener) => engine.subscribe(listener),
    snapshot: () => engine.shown,
    open: () => engine.open(),
    loaded: (state) => engine.loaded(state),
    start: () => engine.start(),
    stop: () => engine.stop(),
    tryNow: () => engine.tryNow(),
    dismiss: () => engine.send({ type: 'dismissed' }),
    close: () => engine.close(),
  };
}

class Engine {
  shown: AfkSnapshot;
  private readonly deps: AfkDeps;
  private readonly listeners = new Set<() => void>();
  private active = false;
  private latest: AfkState;
  /** Incremented whenever a stream is opened or closed, so that late events of an older one are ignored. */
  private line = 0;
  private closeStream: (() => void) | null = null;
  private retry: unknown = null;
  private watchdog: unknown = null;
  /** Sessions this tab has seen end: an older loader response may still name them. */
  private readonly endedSessions = new Set<string>();

  constructor(first: AfkState, deps: AfkDeps) {
    this.deps = deps;
    this.latest = first;
    this.shown = { ...initialMachineState(first), progress: progressOf(first, 0), ready: false };
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  open(): void {
    this.active = true;
    this.show({ ready: true });
    this.loaded(this.latest);
  }

  loaded(state: AfkState): void {
    this.latest = state;
    if (!this.active) return;
    const server = state.session && this.endedSessions.has(state.session.id) ? { ...state, session: null } : state;
    const mine = this.deps.memory.read();
    this.send({ type: 'loaded', server, mine });
    // The remembered session has ended: another tab or device runs one, or none does.
    if (mine !== null && !hasSession(this.shown.phase) && this.shown.phase !== 'starting') this.deps.memory.clear();
    if (!hasSession(this.shown.phase)) this.show({ progress: progressOf(server, this.deps.now()) });
  }

  async start(): Promise<void> {
    this.send({ type: 'start' });
    if (this.shown.phase !== 'starting') return;
    try {
      const answer = await this.deps.calls.start();
      if (!this.active) return;
      this.deps.memory.write(answer.session_id);
      this.show({ progress: progressOf(answer.state, this.deps.now()) });
      this.send({ type: 'started', id: answer.session_id, tookOver: answer.took_over });
    } catch (error) {
      this.send({ type: 'refused', code: codeOf(error) });
    }
  }

  async stop(): Promise<void> {
    if (this.shown.id) this.endedSessions.add(this.shown.id);
    this.send({ type: 'stop' });
    if (this.shown.phase !== 'stopping') return;
    try {
      await this.deps.calls.stop();
    } catch {
      // Without beats the server ends the session by itself; nothing is paid in the meantime.
    }
    this.send({ type: 'stopped' });
  }

  tryNow(): void {
    if (this.shown.phase !== 'reconnecting') return;
    this.deps.timers.clear(this.retry);
    void this.check();
  }

  close(): void {
    this.active = false;
    this.hangUp();
    this.deps.timers.clear(this.retry);
    this.deps.screen.release();
    this.shown = { ...this.shown, ...initialMachineState(this.latest), ready: false };
  }

  send(event: AfkEvent): void {
    const before = this.shown;
    const next = step(before, event);
    if (next === before) return;
    this.show(next);
    if (next.phase !== before.phase) this.enter(next.phase, before);
    else if (next.phase === 'reconnecting' && next.attempt !== before.attempt) this.scheduleCheck();
  }

  private show(change: Partial<AfkSnapshot>): void {
    this.shown = { ...this.shown, ...change };
    for (const listener of this.listeners) listener();
  }

  private enter(phase: AfkPhase, before: AfkMachineState): void {
    if (!hasSession(phase) && hasSession(before.phase)) this.clearSession(phase === 'elsewhere' ? null : before.id);
    if (phase === 'connecting') this.dial();
    if (phase === 'running') this.deps.screen.keepOn();
    if (phase === 'reconnecting') {
      this.hangUp();
      this.scheduleCheck();
    }
  }

  /** Cleans up this tab's session. `over`: the session that ended; null if it goes on elsewhere. */
  private clearSession(over: string | null): void {
    this.hangUp();
    this.deps.timers.clear(this.retry);
    this.deps.screen.release();
    this.deps.memory.clear();
    if (over) this.endedSessions.add(over);
  }

  private dial(): void {
    const { id } = this.shown;
    if (!id) return;
    this.hangUp();
    const line = ++this.line;
    this.listen();
    const close = this.deps.openStream(id, {
      event: (name, data) => {
        if (line === this.line) this.handleEvent(id, name, data);
      },
      lost: () => {
        if (line === this.line) this.send({ type: 'lost' });
      },
    });
    // A stream that failed while it was being opened is closed already.
    if (line === this.line) this.closeStream = close;
    else close();
  }

  private hangUp(): void {
    this.line += 1;
    this.deps.timers.clear(this.watchdog);
    this.closeStream?.();
    this.closeStream = null;
  }

  /** Any event restarts the watchdog. */
  private listen(): void {
    this.deps.timers.clear(this.watchdog);
    this.watchdog = this.deps.timers.set(() => this.send({ type: 'lost' }), SILENCE_MS);
  }

  private handleEvent(id: string, name: 'challenge' | 'paid' | 'ended', data: unknown): void {
    this.listen();
    const fields = isRecord(data) ? data : {};
    if (name === 'challenge' && typeof fields['challenge'] === 'string') void this.beat(id, fields['challenge']);
    if (name === 'paid' && isCount(fields['earned'])) {
      const { progress } = this.shown;
      const more = Math.max(0, fields['earned'] - progress.earned);
      this.show({ progress: { ...progress, earned: fields['earned'], earnedToday: progress.earnedToday + more } });
    }
    if (name === 'ended') {
      const reason = END_REASONS.find((each): each is AfkEnd => each === fields['reason']) ?? 'idle';
      this.send({ type: 'ended', reason, device: typeof fields['device'] === 'string' ? fields['device'] : null });
    }
  }

  private async beat(id: string, challenge: string): Promise<void> {
    const { line } = this;
    try {
      const beat = await this.deps.calls.beat(id, challenge);
      if (line !== this.line) return;
      this.show({ progress: progressAfterBeat(this.shown.progress, beat, this.deps.now()) });
      this.send({ type: 'beaten' });
    } catch (error) {
      // After a wrong challenge a newer one follows; anything else counts as a lost connection until the server has
      // been asked.
      if (line === this.line && codeOf(error) !== 'AFK_CHALLENGE_WRONG') this.send({ type: 'lost' });
    }
  }

  private scheduleCheck(): void {
    const { timers, random } = this.deps;
    timers.clear(this.retry);
    const wait = RETRY_MS[Math.min(this.shown.attempt - 1, RETRY_MS.length - 1)] ?? 0;
    this.retry = timers.set(() => void this.check(), wait * (0.75 + random() / 2));
  }

  /** Asks the server which session runs, then continues accordingly. */
  private async check(): Promise<void> {
    const { id } = this.shown;
    try {
      const state = await this.deps.calls.state();
      if (!this.active || this.shown.id !== id || this.shown.phase !== 'reconnecting') return;
      this.latest = state;
      this.show({ progress: progressOf(state, this.deps.now()) });
      this.send({ type: 'checked', server: state });
    } catch {
      if (this.active && this.shown.id === id) this.send({ type: 'lost' });
    }
  }
}

/** The state before the browser acts: known, unless a session runs, which may be this tab's or another's. */
function initialMachineState(state: AfkState): AfkMachineState {
  return state.session ? INITIAL_STATE : step(INITIAL_STATE, { type: 'loaded', server: state, mine: null });
}

function progressOf(state: AfkState, atMs: number): Progress {
  const { session } = state;
  return {
    countedMs: session?.counted_ms ?? 0,
    nextPayoutMs: session?.next_payout_ms ?? 0,
    earned: session?.earned ?? 0,
    earnedToday: state.earned_today,
    startedAt: session?.started_at ?? null,
    atMs,
  };
}

function progressAfterBeat(before: Progress, beat: Beat, atMs: number): Progress {
  return {
    countedMs: beat.counted_ms,
    nextPayoutMs: beat.next_payout_ms,
    earned: beat.earned,
    earnedToday: beat.earned_today,
    startedAt: before.startedAt,
    atMs,
  };
}

/** The code of a refusal; anything without a response counts as the server being unavailable. */
function codeOf(error: unknown): ErrorCode {
  return error instanceof ApiError ? error.code : 'SERVER_UNAVAILABLE';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

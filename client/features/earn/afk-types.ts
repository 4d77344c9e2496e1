import type { AfkState } from '#shared/contract/earn.ts';
import type { AfkMachineState } from './afk-machine.ts';

/** The numbers of the clock, as the server last reported them. Milliseconds and credits. */
export interface Progress {
  /** Time counted in this session. */
  readonly countedMs: number;
  /** Until the next credit, if beats go on. */
  readonly nextPayoutMs: number;
  readonly earned: number;
  readonly earnedToday: number;
  /** When the running session began, ISO; null where none runs. */
  readonly startedAt: string | null;
  /** When this was reported, by the page's monotonic clock (`AfkDeps.now`). */
  readonly atMs: number;
}

export interface AfkSnapshot extends AfkMachineState {
  readonly progress: Progress;
  /** The page runs in the browser and can act; false in the server's rendering. */
  readonly ready: boolean;
}

/** The response to a beat. */
export interface Beat {
  readonly counted_ms: number;
  readonly next_payout_ms: number;
  readonly earned: number;
  readonly earned_today: number;
}

/** Where the stream reports. `lost`: it closed or failed, for whatever reason. */
export interface StreamEvents {
  readonly event: (name: 'challenge' | 'paid' | 'ended', data: unknown) => void;
  readonly lost: () => void;
}

/** Everything the engine needs from outside: the API, a stream, this tab's memory, timers, clocks, the screen. */
export interface AfkDeps {
  readonly calls: {
    state(): Promise<AfkState>;
    start(): Promise<{ session_id: string; took_over: string | null; state: AfkState }>;
    beat(id: string, challenge: string): Promise<Beat>;
    stop(): Promise<unknown>;
  };
  /** Opens the stream of a session. Out: a function that closes it. */
  readonly openStream: (id: string, on: StreamEvents) => () => void;
  /** What this tab remembers across reloads. */
  readonly memory: { read(): string | null; write(id: string): void; clear(): void };
  readonly timers: { set(run: () => void, ms: number): unknown; clear(handle: unknown): void };
  /** A clock that never jumps; only differences of it are used. */
  readonly now: () => number;
  /** 0 to 1, to spread retries. */
  readonly random: () => number;
  /** Keeps the screen on, where the browser can. */
  readonly screen: { keepOn(): void; release(): void };
}

export interface AfkClient {
  subscribe(listener: () => void): () => void;
  /** The state to show; the same object until something changes. */
  snapshot(): AfkSnapshot;
  /** Starts the engine in the browser: resumes the session this tab remembers. */
  open(): void;
  /** Applies a loader's response. */
  loaded(state: AfkState): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reconnects at once: on request, when the network returns, or when the page becomes visible. */
  tryNow(): void;
  /** Dismisses banners: taken over, clock stopped, refusal. */
  dismiss(): void;
  /** Stops the engine: no more beats, so nothing is paid. The session may be resumed until the server ends it. */
  close(): void;
}

import type { AfkState } from '#shared/contract/earn.ts';
import type { ErrorCode } from '#shared/errors.ts';

/**
 * What the AFK page is doing. `checking`: before the page knows whose session runs (server render, first paint) ·
 * `off`: nothing runs · `starting`, `stopping`: requested, no response yet · `connecting`: the session is this tab's,
 * its stream is being opened · `running`: the stream is open and beats are answered · `reconnecting`: the connection
 * dropped, retrying · `elsewhere`: another tab or device runs it · `full`: today's cap is reached · `budget`: the
 * installation's budget is spent · `unverified`: the address has to be confirmed first · `closed`: AFK was turned off.
 */
export const AFK_PHASES = [
  'checking',
  'off',
  'starting',
  'stopping',
  'connecting',
  'running',
  'reconnecting',
  'elsewhere',
  'full',
  'budget',
  'unverified',
  'closed',
] as const;
export type AfkPhase = (typeof AFK_PHASES)[number];

/** Why a session ended, by the stream (contract, `afk.stream`). */
export type AfkEnd = 'taken_over' | 'cap' | 'budget' | 'idle' | 'stopped' | 'disabled';

/** What to show beside the phase: the clock stopped while disconnected, or was stopped elsewhere. */
type AfkNote = 'idle' | 'stopped';

export interface AfkMachineState {
  readonly phase: AfkPhase;
  /** Session of this tab; null when it has none. */
  readonly id: string | null;
  /** Device that runs the session, for `elsewhere`; null when unknown. */
  readonly device: string | null;
  /** Device this tab took the session over from. */
  readonly tookOver: string | null;
  /** Attempts since the connection dropped; 0 while connected. */
  readonly attempt: number;
  readonly note: AfkNote | null;
  /** Why a start was refused, if no phase covers it. */
  readonly code: ErrorCode | null;
}

export const INITIAL_STATE: AfkMachineState = {
  phase: 'checking',
  id: null,
  device: null,
  tookOver: null,
  attempt: 0,
  note: null,
  code: null,
};

/** The part of the server's state that determines the phase. */
export type AfkServerState = Pick<
  AfkState,
  'session' | 'earned_today' | 'cap' | 'per_minute' | 'budget' | 'budget_used'
>;

export type AfkEvent =
  /** The page's loader answered; `mine` is the session this tab remembers. */
  | { readonly type: 'loaded'; readonly server: AfkServerState; readonly mine: string | null }
  /** The engine fetched the state, after the connection dropped. */
  | { readonly type: 'checked'; readonly server: AfkServerState }
  | { readonly type: 'start' }
  | { readonly type: 'started'; readonly id: string; readonly tookOver: string | null }
  | { readonly type: 'refused'; readonly code: ErrorCode }
  | { readonly type: 'beaten' }
  | { readonly type: 'lost' }
  | { readonly type: 'ended'; readonly reason: AfkEnd; readonly device: string | null }
  | { readonly type: 'stop' }
  | { readonly type: 'stopped' }
  | { readonly type: 'dismissed' };

/** Phases in which this tab holds a session. Its stream is more current than a loader's response. */
const PHASES_WITH_SESSION: ReadonlySet<AfkPhase> = new Set(['connecting', 'running', 'reconnecting']);
const PHASES_AWAITING_ANSWER: ReadonlySet<AfkPhase> = new Set(['starting', 'stopping']);

/** Whether this tab holds a session in this phase. */
export function hasSession(phase: AfkPhase): boolean {
  return PHASES_WITH_SESSION.has(phase);
}

/** Whether a response of the server is awaited in this phase. */
export function isAwaitingAnswer(phase: AfkPhase): boolean {
  return PHASES_AWAITING_ANSWER.has(phase);
}

/** The next state. An event without meaning in a phase returns the same object. */
export function step(state: AfkMachineState, event: AfkEvent): AfkMachineState {
  switch (event.type) {
    case 'loaded':
      if (PHASES_WITH_SESSION.has(state.phase) || PHASES_AWAITING_ANSWER.has(state.phase)) return state;
      return preserveContext(state, stateFor(event.server, event.mine, state.note));
    case 'checked':
      if (!PHASES_WITH_SESSION.has(state.phase)) return state;
      // The server ended it, because no beats came.
      return preserveContext(state, stateFor(event.server, state.id, 'idle'));
    case 'start':
      if (PHASES_WITH_SESSION.has(state.phase) || PHASES_AWAITING_ANSWER.has(state.phase)) return state;
      return { ...INITIAL_STATE, phase: 'starting' };
    case 'started':
      if (state.phase !== 'starting') return state;
      return { ...INITIAL_STATE, phase: 'connecting', id: event.id, tookOver: event.tookOver };
    case 'refused':
      return state.phase === 'starting' ? refused(event.code) : state;
    case 'beaten':
      if (!PHASES_WITH_SESSION.has(state.phase)) return state;
      return state.phase === 'running' ? state : { ...state, phase: 'running', attempt: 0, note: null };
    case 'lost':
      if (!PHASES_WITH_SESSION.has(state.phase)) return state;
      return { ...state, phase: 'reconnecting', attempt: state.attempt + 1 };
    case 'ended':
      return PHASES_WITH_SESSION.has(state.phase) ? ended(event.reason, event.device) : state;
    case 'stop':
      return PHASES_WITH_SESSION.has(state.phase) ? { ...INITIAL_STATE, phase: 'stopping' } : state;
    case 'stopped':
      return state.phase === 'stopping' ? { ...INITIAL_STATE, phase: 'off' } : state;
    case 'dismissed':
      return state.tookOver === null && state.note === null && state.code === null
        ? state
        : { ...state, tookOver: null, note: null, code: null };
  }
}

/** The state of a tab that remembers the session `mine`, from the server's state. */
function stateFor(server: AfkServerState, mine: string | null, note: AfkNote | null): AfkMachineState {
  const { session } = server;
  if (session && session.id === mine) return { ...INITIAL_STATE, phase: 'connecting', id: session.id };
  if (session) return { ...INITIAL_STATE, phase: 'elsewhere', device: session.device };
  // A minute is paid in full or not at all, as on the server.
  if (server.cap > 0 && server.earned_today + server.per_minute > server.cap)
    return { ...INITIAL_STATE, phase: 'full' };
  if (server.budget > 0 && server.budget_used + server.per_minute > server.budget)
    return { ...INITIAL_STATE, phase: 'budget' };
  return { ...INITIAL_STATE, phase: 'off', note };
}

/**
 * Keeps what a repeated server state must not reset: attempts so far, the device taken over from, a refusal that still
 * applies.
 */
function preserveContext(state: AfkMachineState, next: AfkMachineState): AfkMachineState {
  if (next.phase === 'connecting') return { ...next, attempt: state.attempt, tookOver: state.tookOver };
  if (next.phase === 'off' && (state.phase === 'unverified' || state.phase === 'closed')) return state;
  if (next.phase === state.phase && next.device === state.device && next.note === state.note) return state;
  return next;
}

function refused(code: ErrorCode): AfkMachineState {
  switch (code) {
    case 'DAILY_CAP_REACHED':
      return { ...INITIAL_STATE, phase: 'full' };
    case 'BUDGET_SPENT':
      return { ...INITIAL_STATE, phase: 'budget' };
    case 'ACCOUNT_UNVERIFIED':
      return { ...INITIAL_STATE, phase: 'unverified' };
    case 'FEATURE_DISABLED':
      return { ...INITIAL_STATE, phase: 'closed' };
    default:
      return { ...INITIAL_STATE, phase: 'off', code };
  }
}

function ended(reason: AfkEnd, device: string | null): AfkMachineState {
  switch (reason) {
    case 'taken_over':
      return { ...INITIAL_STATE, phase: 'elsewhere', device };
    case 'cap':
      return { ...INITIAL_STATE, phase: 'full' };
    case 'budget':
      return { ...INITIAL_STATE, phase: 'budget' };
    case 'disabled':
      return { ...INITIAL_STATE, phase: 'closed' };
    case 'idle':
    case 'stopped':
      return { ...INITIAL_STATE, phase: 'off', note: reason };
  }
}

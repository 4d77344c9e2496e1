/** States of the session in the browser (specification, section 4). */
export type SessionState =
  /** No cookie: no session. */
  | 'none'
  /** A cookie, and the first request is in flight. */
  | 'starting'
  | 'active'
  /** Active, and the next request is in flight. */
  | 'refreshing'
  /** Ended by the server or by its fault; a dialog leads to the login. */
  | 'failed'
  /** Waits for the second factor. */
  | 'blocked';

export type SessionEvent =
  /** There is a cookie and the session is to be fetched. */
  | 'ask'
  /** The cookie has vanished. */
  | 'cookie-gone'
  /** The session data arrived, from the server or from another tab. */
  | 'answer'
  /** The server reports no session, or answered 500 or above. */
  | 'refused'
  /** The server answered 503. */
  | 'unavailable'
  /** The server answered TW0_FA_BLOCKED. */
  | 'second-factor'
  /** Every try failed on the way. */
  | 'gave-up';

/** The side effects of a transition. */
export type SessionEffect =
  /** Stores the answer and caches it in local storage. */
  | 'keep'
  /** Resets the state: no answer, and nothing of the user in local storage. */
  | 'forget'
  /** Clears the cookie and empties local storage. */
  | 'wipe'
  /** The dialogs of the error catalogue (specification, section 8), each followed by the login. */
  | 'say-session-error'
  | 'say-unavailable'
  | 'say-start-failed'
  /** Straight to the second factor. */
  | 'to-second-factor';

type Step = readonly [SessionState, ...SessionEffect[]];

const GONE: Step = ['none', 'forget'];
const RECEIVED: Step = ['active', 'keep'];
const REFUSED: Step = ['failed', 'forget', 'wipe', 'say-session-error'];
const UNAVAILABLE: Step = ['failed', 'forget', 'wipe', 'say-unavailable'];
const BLOCKED: Step = ['blocked', 'forget', 'to-second-factor'];

/**
 * The state machine as a table: state, event, next state and effects. What is not listed changes nothing: a second
 * request while one is in flight is skipped, and a failed session is not reported twice. A failed and a blocked session
 * still accept an answer: another tab has logged in.
 */
export const SESSION_TABLE: Readonly<Record<SessionState, Partial<Record<SessionEvent, Step>>>> = {
  none: { ask: ['starting'], 'cookie-gone': GONE, answer: RECEIVED },
  starting: {
    'cookie-gone': GONE,
    answer: RECEIVED,
    refused: REFUSED,
    unavailable: UNAVAILABLE,
    'second-factor': BLOCKED,
    'gave-up': ['failed', 'forget', 'wipe', 'say-start-failed'],
  },
  active: {
    ask: ['refreshing'],
    'cookie-gone': GONE,
    answer: RECEIVED,
    refused: REFUSED,
    unavailable: UNAVAILABLE,
    'second-factor': BLOCKED,
  },
  refreshing: {
    'cookie-gone': GONE,
    answer: RECEIVED,
    refused: REFUSED,
    unavailable: UNAVAILABLE,
    'second-factor': BLOCKED,
    'gave-up': ['active'],
  },
  failed: { ask: ['starting'], 'cookie-gone': GONE, answer: RECEIVED },
  blocked: { ask: ['starting'], 'cookie-gone': GONE, answer: RECEIVED },
};

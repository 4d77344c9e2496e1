/** States of the session in the browser (specification, section 4). */
export type SessionState =
  /** No cookie: no session. */
  | 'none'
  /** A cookie, and the first answer is on its way. */
  | 'starting'
  | 'active'
  /** Active, and the next answer is on its way. */
  | 'refreshing'
  /** Ended by the server or by its fault; a dialog leads to the login. */
  | 'failed'
  /** Waits for the second factor. */
  | 'blocked';

export type SessionEvent =
  /** The cookie is there and it is time to ask the server. */
  | 'ask'
  /** The cookie has vanished. */
  | 'cookie-gone'
  /** The session data arrived, from the server or from another tab. */
  | 'answer'
  /** The server says that there is no session, or answered 500 or above. */
  | 'refused'
  /** The server answered 503. */
  | 'unavailable'
  /** The server answered TW0_FA_BLOCKED. */
  | 'second-factor'
  /** Every try failed on the way. */
  | 'gave-up';

/** What a step does besides changing the state. */
export type SessionEffect =
  /** Holds the answer and caches it in local storage. */
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
 * The machine as a table: state, event, next state and what is done. What is not listed changes nothing: so a second
 * question while one is on its way is skipped, and a session that has failed is not shown twice. A failed and a waiting
 * session still take an answer: another tab has logged in.
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

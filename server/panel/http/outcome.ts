import type { Away, PanelRight } from '#server/modules/servers/panel/ports.ts';
import type { Exchange, PanelError } from './exchange.ts';
import { reasonOf, reasonOf403, reasonOfCode, taken, type Reason } from './refusals.ts';

/** What was asked: `read` changes nothing; `create` makes something with our id; `write` changes what is there. */
export type CallKind = 'read' | 'create' | 'write';
export interface Asked {
  readonly kind: CallKind;
  readonly api: 'application' | 'client';
  /** The right the call needs. */
  readonly right: PanelRight;
}

/** What an exchange means. */
export interface Verdict {
  readonly outcome: 'ok' | 'not_found' | 'refused' | 'conflict' | 'unavailable' | 'unknown';
  /** Of a refusal. */
  readonly reason: Reason | null;
  /** Code of what went wrong with the panel itself, for its health; null where nothing did. */
  readonly failure: string | null;
  /** The panel did not do its part: counts towards leaving it alone. */
  readonly fault: boolean;
  /** The machine of the server did not do its part. */
  readonly daemon: boolean;
  /** Of `unavailable` and `unknown`: what kept the panel from doing it. */
  readonly away?: Away;
  /** The panel's database took it back over a deadlock: the same call may be made again at once. */
  readonly deadlock?: boolean;
}

const OK: Verdict = { outcome: 'ok', reason: null, failure: null, fault: false, daemon: false };
const NOT_FOUND: Verdict = { ...OK, outcome: 'not_found' };
const CONFLICT: Verdict = { ...OK, outcome: 'conflict' };
const refused = (reason: Reason, failure: string | null = null): Verdict => ({
  ...OK,
  outcome: 'refused',
  reason,
  failure,
});
/** Certain that nothing was changed. */
const unavailable = (failure: string, fault = true): Verdict => ({ ...OK, outcome: 'unavailable', failure, fault });
/** A command that got no clear answer may have been carried out; a question changes nothing. */
const unclear = (kind: CallKind, failure: string, fault = true): Verdict => ({
  ...OK,
  outcome: kind === 'read' ? 'unavailable' : 'unknown',
  failure,
  fault,
});

/**
 * Trouble between panel and machine: Pterodactyl's one class, Pelican's two, and the first of these with its own (panel
 * contract, sections 5 and 8).
 */
const DAEMON = /^(DaemonConnectionException|ConnectionException|ConnectException|RequestException)$/;
/** What two who make the same at the same time get instead of a validation (panel contract, section 5). */
const RACES = /^(DataValidationException|UniqueConstraintViolationException)$/;
/**
 * The database broke off a transaction and took it back: two that make accounts at the same time meet in the table of
 * password links (panel contract, section 3). The text is hidden unless the panel is in debug mode, so the class is all
 * there is to go by.
 */
const DEADLOCK = /^(QueryException|DeadlockException)$/;
/** Statuses with which a machine is not there at all, or not yet; with others it is there and said no. */
const NOBODY_THERE: ReadonlySet<number> = new Set([502, 503, 504]);
const NO_CONNECTION = /^Connect(ion)?Exception$/;
const GONE = /^(NotFoundHttpException|ModelNotFoundException)$/;
/** The panel's routes, not one of its things, are what was not found: another program, or another version. */
const NO_ROUTE = /^The route /;

/**
 * The one place that tells what an answer means (panel contract, sections 1, 2, 5 and 8). No outcome is taken from a
 * status where it can lie.
 */
export function classifyAnswer(asked: Asked, exchange: Exchange): Verdict {
  if (exchange.kind === 'silence') return exchange.sent ? unclear(asked.kind, exchange.why) : unavailable(exchange.why);
  const { status, json, errors } = exchange;
  if (status === 429) return { ...unavailable('rate_limited', false), away: 'busy' };
  if (status >= 300 && status < 400) return unclear(asked.kind, 'redirect');
  if (status >= 200 && status < 300) return json && !errors ? OK : unclear(asked.kind, 'not_json');
  const first = errors?.[0];
  if (!errors || !first) return notOfTheApi(asked.kind, status, json);
  return ofTheApi(asked, status, first, errors);
}

/**
 * An error that is not in the panel's envelope: something before it answered, which may have handed the call on first,
 * or something else stands there.
 */
function notOfTheApi(kind: CallKind, status: number, json: boolean): Verdict {
  return unclear(kind, status >= 500 ? `status_${status}` : json ? 'not_api' : 'not_json');
}

function ofTheApi(asked: Asked, status: number, { code, detail }: PanelError, errors: readonly PanelError[]): Verdict {
  const { kind, api, right } = asked;
  // Whatever the status says: the panel passes on the machine's own.
  if (DAEMON.test(code)) {
    const away = NOBODY_THERE.has(status) || NO_CONNECTION.test(code);
    return { ...unclear(kind, 'daemon', false), failure: null, daemon: true, ...(away ? { away: 'node' } : {}) };
  }
  switch (status) {
    case 401:
      return refused(api === 'client' ? 'client_key' : 'key', 'key');
    case 403:
      return refused(api === 'client' ? 'client_key' : reasonOf403(detail, right), 'key');
    case 404:
      if (NO_ROUTE.test(detail)) return unavailable('not_api');
      if (!GONE.test(code)) return unclear(kind, 'not_api');
      // The client API hides what the key's owner may not see.
      return api === 'client' ? refused('not_visible') : kind === 'create' ? refused('rejected') : NOT_FOUND;
    case 405:
      return unavailable('not_api');
    case 409:
      return api === 'client' ? refused('busy') : { ...unavailable('busy', false), away: 'busy' };
    case 422:
      return validation(kind, errors);
    case 400:
    case 413:
      return code === 'TwoFactorAuthRequiredException' ? refused('key_owner', 'key') : refused(reasonOfCode(code));
    default:
      if (kind === 'create' && status === 500 && RACES.test(code)) return CONFLICT;
      if (kind === 'create' && status === 500 && DEADLOCK.test(code))
        return { ...unclear(kind, 'deadlock', false), away: 'busy', deadlock: true };
      return unclear(kind, status >= 500 ? `status_${status}` : 'not_api');
  }
}

/** A 422 with the fields that were wrong. Without any it is not the panel's own (panel contract, section 5). */
function validation(kind: CallKind, errors: readonly PanelError[]): Verdict {
  if (errors.every(({ field }) => field === null)) return unclear(kind, 'not_api', false);
  // First of all: what exists already has its ports taken as well.
  if (taken(errors, 'external_id')) return CONFLICT;
  return refused(reasonOf(errors));
}

import { SerializedJson, type Handlers } from '#server/http/implement.types.ts';
import { permissionsWithin } from '#server/modules/api-tokens/index.ts';
import { createTopicCache, type Identity } from '#server/modules/identity/index.ts';
import type { Actor, Bus, Clock } from '#server/modules/kernel.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { withoutStaffRights } from '#shared/can.ts';
import { DAY, iso, MINUTE } from '#shared/time.ts';
import { isApiToken } from '#shared/token-scopes.ts';
import { setSessionCookies } from './session-cookies.ts';

interface Services {
  readonly identity: Pick<Identity, 'findSessionView'>;
  readonly bus: Bus;
  readonly clock: Clock;
}

/** Answers kept ready, and how long one is given out without asking again. */
const CACHED = 10_000;
const CACHE_AGE = MINUTE;

/** The session answer, from memory until something in it changes: every signed-in browser asks for it each minute. */
export function sessionHandlers({ identity, bus, clock }: Services): Handlers<typeof CONTRACT.session> {
  const now = () => clock.now();
  const answers = createTopicCache<SerializedJson>({
    bus,
    now,
    max: CACHED,
    maxAgeMs: CACHE_AGE,
    clearOn: ['settings.loaded', 'roles'],
  });
  const isDueForCookies = createRenewals();

  /**
   * The answer for a user; for an API token of theirs, which acts with fewer permissions; or for staff who view as the
   * user, without rights of staff and without saying how the account is secured.
   */
  async function serialize({ userId, token, viewer }: Actor): Promise<SerializedJson | null> {
    const answer = await identity.findSessionView(userId);
    if (!answer) return null;
    const { permissions, user_info: user } = answer;
    const shown = viewer
      ? {
          ...answer,
          user_info: { ...user, second_factor: 'off' },
          permissions: withoutStaffRights(permissions),
          viewing: { until: iso(viewer.untilMs) },
        }
      : { ...answer, permissions: token ? permissionsWithin(permissions, token.scopes) : permissions };
    const fields = CONTRACT.session.get.response.parse(shown);
    return new SerializedJson(JSON.stringify({ success: true, error_code: null, ...fields }));
  }

  return {
    async get(ctx) {
      if (ctx.actor?.waiting) throw new DomainError('TW0_FA_BLOCKED');
      const { actor } = ctx;
      // Cookies belong to sessions.
      const secret = ctx.secret !== null && isApiToken(ctx.secret) ? null : ctx.secret;
      const answer = actor
        ? await answers.get(
            keyOf(actor),
            () => topicsOf(actor),
            () => serialize(actor),
          )
        : null;
      if (!answer) {
        // Banned this moment: who viewed as them is back in their own session at the next request.
        if (actor?.viewer) throw new DomainError('CONFLICT');
        // The marker is left to the page, which tells a session that failed (marker there) from a log-out meanwhile
        // (marker gone) by it.
        if (secret !== null) ctx.cookies.set(SESSION_COOKIE, '', { maxAgeS: 0, httpOnly: true });
        throw new DomainError('SESSION_EXPIRED');
      }
      if (actor && secret !== null && isDueForCookies(actor.sessionId, clock.now()))
        setSessionCookies(ctx.cookies, secret);
      return answer;
    },
  };
}

/** Whose answer it is: a user's own, an API token's, or that of a session which views as the user. */
function keyOf({ userId, sessionId, token, viewer }: Actor): string {
  if (token) return `token:${token.id}`;
  return viewer ? `viewing:${sessionId}:${userId}:${viewer.untilMs}` : userId;
}

/** What the answer is made of: the user, their servers (limits in use), their notifications (unread). */
function topicsOf({ userId }: Actor): readonly string[] {
  return [`user:${userId}`, `servers:${userId}`, `notifications:${userId}`];
}

/** Whether a session's cookies are to be set again, which moves their end as use moves the session's: once a day. */
function createRenewals(): (sessionId: string, nowMs: number) => boolean {
  const last = new Map<string, number>();
  return (sessionId, nowMs) => {
    const at = last.get(sessionId);
    if (at !== undefined && nowMs - at < DAY) return false;
    last.delete(sessionId);
    last.set(sessionId, nowMs);
    if (last.size > CACHED) last.delete(last.keys().next().value ?? '');
    return true;
  };
}

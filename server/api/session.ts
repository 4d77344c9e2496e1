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

/** Most cached answers, and the longest that one is used. */
const MAX_CACHED = 10_000;
const MAX_AGE = MINUTE;

/** The session, cached until something in it changes: every signed-in browser polls it each minute. */
export function sessionHandlers({ identity, bus, clock }: Services): Handlers<typeof CONTRACT.session> {
  const now = () => clock.now();
  const answers = createTopicCache<SerializedJson>({
    bus,
    now,
    max: MAX_CACHED,
    maxAgeMs: MAX_AGE,
    clearOn: ['settings.loaded', 'roles'],
  });
  const isCookieRenewalDue = createDailyRenewals();

  /**
   * Serializes the session of a user, of an API token of theirs with its fewer permissions, or of staff who view as the
   * user: without rights of staff, and without what secures the account. Null: no such user.
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
      // API tokens get no cookies.
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
        // The marker cookie stays: by it the page distinguishes a session that failed from a log-out in another tab,
        // which deletes it.
        if (secret !== null) ctx.cookies.set(SESSION_COOKIE, '', { maxAgeS: 0, httpOnly: true });
        throw new DomainError('SESSION_EXPIRED');
      }
      if (actor && secret !== null && isCookieRenewalDue(actor.sessionId, clock.now()))
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

/** Decides, at most once a day for each session, that its cookies are set again: their life is prolonged with its own. */
function createDailyRenewals(): (sessionId: string, nowMs: number) => boolean {
  const last = new Map<string, number>();
  return (sessionId, nowMs) => {
    const at = last.get(sessionId);
    if (at !== undefined && nowMs - at < DAY) return false;
    last.delete(sessionId);
    last.set(sessionId, nowMs);
    if (last.size > MAX_CACHED) last.delete(last.keys().next().value ?? '');
    return true;
  };
}

import { SerializedJson, type Handlers } from '#server/http/implement.types.ts';
import { permissionsWithin } from '#server/modules/api-tokens/index.ts';
import type { Identity, SessionView } from '#server/modules/identity/index.ts';
import { createTopicCache } from '#server/modules/topic-cache.ts';
import type { Actor, Bus, Clock } from '#server/modules/kernel.ts';
import { ANNOUNCEMENTS_TOPIC, type Announcements } from '#server/modules/announcements/index.ts';
import { REDIRECT_LINKS_TOPIC, type MenuLink, type RedirectLinks } from '#server/modules/redirect-links/index.ts';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { withoutStaffRights } from '#shared/can.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { iso, MINUTE } from '#shared/time.ts';
import { visitorOf } from './redirect-links.ts';

interface Services {
  readonly identity: Pick<Identity, 'findSessionView'>;
  readonly redirectLinks: Pick<RedirectLinks, 'menu'>;
  readonly announcements: Pick<Announcements, 'hasAny' | 'standing'>;
  readonly bus: Bus;
  readonly clock: Clock;
}

/** Most cached answers, and the longest that one is used. */
const MAX_CACHED = 10_000;
const MAX_AGE = MINUTE;
/** Where nothing is announced to anybody, nobody is asked about. */
const NOTHING_ANNOUNCED = { unread: 0, urgent: [] } as const;

/** The user, their credits, and their counts and limits as they are sent. */
function presentSession({ user, credits, meters, unread }: SessionView) {
  const limits = RESOURCE_KINDS.flatMap((kind): [string, number][] => [
    [`${kind}_used`, meters[kind].used],
    [`${kind}_limit`, meters[kind].limit],
  ]);
  return {
    user_info: {
      id: user.id,
      uuid: user.id,
      username: user.username,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
      role_color: user.roleColor,
      locale: user.locale,
      time_zone: user.timeZone,
      verified: user.verified,
      confirmation: user.confirmation,
      second_factor: user.secondFactor,
      created_at: iso(user.createdMs),
    },
    billing: { credits: credits.balance, held: credits.held, debt: credits.debt },
    stats: {
      servers: meters.slots.used,
      unread: unread.notifications,
      tickets_unread: unread.tickets,
      ...Object.fromEntries(limits),
    },
  };
}

/**
 * The session, cached until something in it changes: every signed-in browser polls it each minute. A poll sets and
 * deletes no cookie: it may be answered after a log-in or a new password in another tab has set the next secret, which
 * it would undo.
 */
export function sessionHandlers(services: Services): Handlers<typeof CONTRACT.session> {
  const { identity, redirectLinks, announcements, bus, clock } = services;
  const now = () => clock.now();
  const answers = createTopicCache<SerializedJson>({
    bus,
    now,
    max: MAX_CACHED,
    maxAgeMs: MAX_AGE,
    clearOn: ['settings.loaded', 'roles', REDIRECT_LINKS_TOPIC, ANNOUNCEMENTS_TOPIC],
  });
  // The same for everybody of a kind, so that it is read once and not with each session.
  const menus = createTopicCache<MenuLink[]>({
    bus,
    now,
    max: 3,
    maxAgeMs: MAX_AGE,
    clearOn: [REDIRECT_LINKS_TOPIC],
  });

  const isAnnounced = createTopicCache<boolean>({
    bus,
    now,
    max: 1,
    maxAgeMs: MAX_AGE,
    clearOn: [ANNOUNCEMENTS_TOPIC],
  });

  /**
   * Serializes the session of a user, of an API token of theirs with its fewer permissions, or of staff who view as the
   * user: without rights of staff, and without what secures the account. Null: no such user.
   */
  async function serialize(actor: Actor, locale: Locale): Promise<SerializedJson | null> {
    const { userId, token, viewer } = actor;
    const session = await identity.findSessionView(userId);
    if (!session) return null;
    const visitor = viewer ? 'player' : visitorOf(actor);
    const menu = await menus.get(
      visitor,
      () => [],
      () => redirectLinks.menu(visitor),
    );
    const { permissions } = session;
    const answer = presentSession(session);
    const { unread, urgent } = (await isAnnounced.get(
      'any',
      () => [],
      () => announcements.hasAny(),
    ))
      ? await announcements.standing(userId, locale)
      : NOTHING_ANNOUNCED;
    const shown = viewer
      ? {
          ...answer,
          user_info: { ...answer.user_info, second_factor: 'off' },
          permissions: withoutStaffRights(permissions),
          viewing: { until: iso(viewer.untilMs) },
        }
      : { ...answer, permissions: token ? permissionsWithin(permissions, token.scopes) : permissions };
    const fields = CONTRACT.session.get.response.parse({
      ...shown,
      ...(menu?.length ? { menu } : {}),
      ...(unread > 0 || urgent.length > 0 ? { announcements: { unread, urgent } } : {}),
    });
    return new SerializedJson(JSON.stringify({ success: true, error_code: null, ...fields }));
  }

  return {
    async get(ctx) {
      if (ctx.actor?.waiting) throw new DomainError('TW0_FA_BLOCKED');
      const { actor } = ctx;
      const answer = actor
        ? await answers.get(
            `${ctx.locale}:${keyOf(actor)}`,
            () => topicsOf(actor),
            () => serialize(actor, ctx.locale),
          )
        : null;
      if (!answer) {
        // Banned this moment: who viewed as them is back in their own session at the next request.
        if (actor?.viewer) throw new DomainError('CONFLICT');
        throw new DomainError('SESSION_EXPIRED');
      }
      return answer;
    },
  };
}

/** Whose answer it is: a user's own, an API token's, or that of a session which views as the user. */
function keyOf({ userId, sessionId, token, viewer }: Actor): string {
  if (token) return `token:${token.id}`;
  return viewer ? `viewing:${sessionId}:${userId}:${viewer.untilMs}` : userId;
}

/**
 * What the answer is made of: the user, their servers (limits in use), their notifications and tickets (unread), the
 * announcements that they have read.
 */
function topicsOf({ userId }: Actor): readonly string[] {
  return [
    `user:${userId}`,
    `servers:${userId}`,
    `notifications:${userId}`,
    `announcements:${userId}`,
    `tickets:${userId}`,
  ];
}

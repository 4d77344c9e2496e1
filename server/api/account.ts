import type { Handlers, SignedInCtx } from '#server/http/implement.types.ts';
import { hasPassword, type Identity } from '#server/modules/identity/index.ts';
import type { Skins } from '#server/modules/skins/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { confirmationOf } from '#shared/confirmation.ts';
import { SKIN_TYPE } from '#shared/skin.ts';
import { iso } from '#shared/time.ts';
import { setSessionCookies } from './session-cookies.ts';
import { skinUrl } from './skin-url.ts';
import { statement, statementCsv, type StatementDeps } from './statement.ts';

interface Services extends StatementDeps {
  readonly skins: Skins;
  readonly asksVerification: () => boolean;
  readonly identity: Pick<
    Identity,
    'getProfile' | 'updateProfile' | 'changePassword' | 'listSessions' | 'endSession' | 'endOtherSessions'
  >;
}

/** A user's own account: profile, password, sessions, statement. */
export function accountHandlers(services: Services): Handlers<typeof CONTRACT.account> {
  const { identity, skins, asksVerification } = services;
  return {
    async get(ctx) {
      const [{ user, role }, skin] = await Promise.all([identity.getProfile(ctx), skins.fingerprint(ctx.actor.userId)]);
      return {
        username: user.username,
        email: user.email,
        first_name: user.firstName,
        last_name: user.lastName,
        locale: user.locale,
        time_zone: user.timeZone,
        verified: ctx.actor.verified,
        confirmation: confirmationOf(user.verifiedMs, asksVerification()),
        has_password: hasPassword(user),
        role: { name: role.name, color: role.color },
        created_at: iso(user.createdMs),
        skin: skin && skinUrl(user.id, skin),
      };
    },
    update: (ctx, { body }) => identity.updateProfile(ctx, body),
    async changePassword(ctx, { body }) {
      setSessionCookies(ctx.cookies, await identity.changePassword(ctx, body));
    },
    async sessions(ctx) {
      const rows = await identity.listSessions(ctx);
      return {
        sessions: rows.map((row) => ({
          id: row.id,
          device: row.device,
          address: row.address,
          created_at: iso(row.createdMs),
          seen_at: iso(row.seenMs),
          factor_at: iso(row.factorMs),
          current: row.current,
        })),
      };
    },
    endSession: (ctx, { params }) => identity.endSession(ctx, params.id),
    endOtherSessions: async (ctx) => ({ ended: await identity.endOtherSessions(ctx) }),
    statement: (ctx, { query }) => statement(services, own(ctx), query),
    statementCsv: (ctx, { query }) => statementCsv(services, own(ctx), query),
    putSkin: async (ctx, { body }) => ({ skin: skinUrl(ctx.actor.userId, await skins.put(ctx, body)) }),
    removeSkin: (ctx) => skins.remove(ctx),
    async skin(ctx, { params }) {
      const { png, sha256 } = await skins.picture(ctx, params.id);
      return { type: SKIN_TYPE, body: png, version: sha256 };
    },
  };
}

const own = ({ actor, signal }: SignedInCtx) => ({
  userId: actor.userId,
  staff: false,
  timeZone: actor.timeZone,
  signal,
});

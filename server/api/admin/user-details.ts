import { parseCursor } from '#server/api/account-activity.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse } from '#server/modules/abuse/index.ts';
import type { ApiTokens } from '#server/modules/api-tokens/index.ts';
import type { Activity } from '#server/modules/audit/index.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { UserLimits, WaysInQuery } from '#server/modules/people/index.ts';
import type { Sso } from '#server/modules/sso/index.ts';
import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import type { adminUserDetails } from '#shared/contract/user-details.ts';
import { identityKey } from '#shared/sso.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly abuse: Pick<Abuse, 'explain'>;
  readonly identity: Pick<Identity, 'updateProfileOf' | 'emailChange'>;
  readonly userLimits: UserLimits;
  readonly waysIn: WaysInQuery;
  readonly apiTokens: Pick<ApiTokens, 'revokeOf'>;
  readonly activity: Pick<Activity, 'listOf'>;
  readonly sso: Pick<Sso, 'listProviders'>;
}

/** Profile, limits, signals, ways in and activity of a user, for staff. */
export function userDetailsHandlers(services: Services): Handlers<typeof adminUserDetails> {
  return {
    async signals(ctx, { params }) {
      const { score, reasons, threshold, held } = await services.abuse.explain(ctx, params.id);
      return { score, threshold, reasons: reasons.map((reason) => ({ ...reason })), held };
    },
    async ways(ctx, { params }) {
      const ways = await services.waysIn.list(ctx, params.id);
      const providers = await services.sso.listProviders();
      return {
        password: ways.password,
        factor_at: iso(ways.factorMs),
        recovery_codes: ways.recoveryCodes,
        linked: ways.linked.map(({ id, provider, name, linkedMs }) => ({
          id,
          provider: providers.find((each) => identityKey(each) === provider)?.name ?? toProviderName(provider),
          name,
          linked_at: iso(linkedMs),
        })),
        passkeys: ways.passkeys.map(({ id, name, createdMs, usedMs, backedUp, copiedMs }) => ({
          id,
          name,
          created_at: iso(createdMs),
          used_at: iso(usedMs),
          synced: backedUp,
          copied: copiedMs !== null,
        })),
        tokens: ways.tokens.map(({ id, name, tail, scopes, createdMs, expiresMs, usedMs, usedAddress }) => ({
          id,
          name,
          tail,
          scopes: [...scopes],
          created_at: iso(createdMs),
          expires_at: iso(expiresMs),
          used_at: iso(usedMs),
          used_address: usedAddress,
        })),
      };
    },
    updateProfile: (ctx, { params, body }) => services.identity.updateProfileOf(ctx, params.id, body),
    setEmail: (ctx, { params, body }) =>
      services.identity.emailChange.setFor(ctx, params.id, { email: body.email, isConfirmed: body.confirmed }),
    setLimits(ctx, { params, body }) {
      const seen = Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, body[`seen_${kind}`]])) as Resources;
      const limits = Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, body[kind]])) as Resources;
      return services.userLimits.set(ctx, params.id, limits, seen);
    },
    revokeToken: (ctx, { params }) => services.apiTokens.revokeOf(ctx, params.id, params.token),
    async activity(ctx, { params, query }) {
      const cursor = parseCursor(query.before);
      const { rows, older } = await services.activity.listOf(
        ctx,
        params.id,
        cursor && { atMs: cursor.ms, id: cursor.id },
      );
      return {
        rows: rows.map(({ id, atMs, action, by, own, address, device }) => ({
          id,
          at: iso(atMs),
          action,
          by,
          own,
          address,
          device,
        })),
        older: older && `${older.atMs}.${older.id}`,
      };
    },
  };
}

/** A provider that is not configured any more: Discord by its name, others by their host. */
function toProviderName(provider: string): string {
  return provider === 'discord' ? 'Discord' : (URL.parse(provider)?.host ?? provider);
}

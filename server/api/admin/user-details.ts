import { parseCursor } from '#server/api/account-activity.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse } from '#server/modules/abuse/index.ts';
import type { ApiTokens } from '#server/modules/api-tokens/index.ts';
import type { Activity } from '#server/modules/audit/index.ts';
import type { Identities } from '#server/modules/identities/index.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Passkeys } from '#server/modules/passkeys/index.ts';
import type { UserLimits, WaysInQuery } from '#server/modules/people/index.ts';
import type { Sso } from '#server/modules/sso/index.ts';
import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import type { adminUserDetails } from '#shared/contract/user-details.ts';
import { identityKey, providerHost } from '#shared/sso.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly abuse: Pick<Abuse, 'explain' | 'compare'>;
  readonly identity: Pick<Identity, 'updateProfileOf' | 'setUsernameOf' | 'emailChange'> & {
    readonly twoFactor: Pick<Identity['twoFactor'], 'disableOf'>;
  };
  readonly passkeys: Pick<Passkeys, 'removeOf'>;
  readonly identities: Pick<Identities, 'unlinkOf'>;
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
      const { score, reasons, threshold, held, others } = await services.abuse.explain(ctx, params.id);
      return {
        score,
        threshold,
        reasons: reasons.map((reason) => ({ ...reason })),
        held,
        others: others.map(({ id, username, kinds, sinceMs }) => ({
          id,
          username,
          kinds: [...kinds],
          since: iso(sinceMs),
        })),
      };
    },
    async compare(ctx, { params }) {
      return presentComparison(await services.abuse.compare(ctx, params.id, params.other));
    },
    async ways(ctx, { params }) {
      const ways = await services.waysIn.list(ctx, params.id);
      const providers = await services.sso.listProviders();
      return {
        password: ways.password,
        factor_at: iso(ways.factorMs),
        recovery_codes: ways.recoveryCodes,
        linked: ways.linked.map(({ id, provider, name, linkedMs, isLast }) => ({
          id,
          provider: providers.find((each) => identityKey(each) === provider)?.name ?? providerHost(provider),
          name,
          linked_at: iso(linkedMs),
          last: isLast,
        })),
        passkeys: ways.passkeys.map(({ id, name, createdMs, usedMs, backedUp, copiedMs, isLast }) => ({
          id,
          name,
          created_at: iso(createdMs),
          used_at: iso(usedMs),
          synced: backedUp,
          copied: copiedMs !== null,
          last: isLast,
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
    setUsername: (ctx, { params, body }) => services.identity.setUsernameOf(ctx, params.id, body.username),
    removePasskey: (ctx, { params, query }) =>
      services.passkeys.removeOf(ctx, params.id, params.passkey, query.last === 'true'),
    unlink: (ctx, { params, query }) =>
      services.identities.unlinkOf(ctx, params.id, params.link, query.last === 'true'),
    disableTwoFactor: (ctx, { params }) => services.identity.twoFactor.disableOf(ctx, params.id),
    revokeToken: (ctx, { params }) => services.apiTokens.revokeOf(ctx, params.id, params.token),
    async activity(ctx, { params, query }) {
      const cursor = parseCursor(query.before);
      const { rows, older } = await services.activity.listOf(
        ctx,
        params.id,
        cursor && { atMs: cursor.ms, id: cursor.id },
      );
      return {
        rows: rows.map(({ id, atMs, action, by, own, target, address, device }) => ({
          id,
          at: iso(atMs),
          action,
          by,
          own,
          target,
          address,
          device,
        })),
        older: older && `${older.atMs}.${older.id}`,
      };
    },
  };
}

/** Two accounts side by side, as they stand in the answer. */
const presentComparison = ({ accounts, shared }: Awaited<ReturnType<Services['abuse']['compare']>>) => ({
  accounts: accounts.map(({ createdMs, seenMs, score, ...account }) => ({
    ...account,
    created_at: iso(createdMs),
    seen_at: iso(seenMs),
    score: score.score,
    reasons: score.reasons.map((reason) => ({ ...reason })),
  })),
  shared: shared.map(({ kind, count, sinceMs, lastMs }) => ({
    kind,
    count,
    since: iso(sinceMs),
    last: iso(lastMs),
  })),
});

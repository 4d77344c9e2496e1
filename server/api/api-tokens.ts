import type { Handlers } from '#server/http/implement.types.ts';
import type { ApiTokens } from '#server/modules/api-tokens/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly clock: Clock;
  readonly apiTokens: Pick<ApiTokens, 'list' | 'create' | 'revoke' | 'revokeAll'>;
}

/** One’s own API tokens. */
export function apiTokensHandlers({ apiTokens, clock }: Services): Handlers<typeof CONTRACT.apiTokens> {
  return {
    async list(ctx) {
      const { tokens, grantable } = await apiTokens.list(ctx);
      return {
        tokens: tokens.map((token) => ({
          id: token.id,
          name: token.name,
          tail: token.tail,
          scopes: [...token.scopes],
          addresses: [...token.addresses],
          created_at: iso(token.createdMs),
          expires_at: iso(token.expiresMs),
          expired: token.expiresMs !== null && token.expiresMs <= clock.now(),
          used_at: iso(token.usedMs),
          used_address: token.usedAddress,
        })),
        grantable,
      };
    },
    create: (ctx, { body }) => apiTokens.create(ctx, body),
    revoke: (ctx, { params }) => apiTokens.revoke(ctx, params.id),
    revokeAll: async (ctx) => ({ revoked: await apiTokens.revokeAll(ctx) }),
  };
}

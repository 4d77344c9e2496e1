import * as z from 'zod/mini';
import { createTokenInput } from '../schemas/api-token.ts';
import { id, isoTime } from '../schemas/primitives.ts';
import { TOKEN_SCOPES } from '../token-scopes.ts';
import { group } from './endpoint.ts';

const scope = z.enum(TOKEN_SCOPES);

/** Keys of the API for scripts and bots (behaviour 3.8). None of these endpoints is open to a token itself. */
export const apiTokens = group({
  list: {
    method: 'GET',
    path: '/api/account/tokens',
    summary: 'List your API tokens',
    access: 'signed-in',
    errors: [],
    response: z.object({
      tokens: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          /** Its last four characters. */
          tail: z.string(),
          scopes: z.array(scope),
          /** Addresses and networks it may be used from; none: from everywhere. */
          addresses: z.array(z.string()),
          created_at: isoTime,
          expires_at: z.nullable(isoTime),
          expired: z.boolean(),
          used_at: z.nullable(isoTime),
          used_address: z.nullable(z.string()),
        }),
      ),
      /** What the caller may let a token do: nobody gives one a right that they lack. */
      grantable: z.array(scope),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/account/tokens',
    summary: 'Create an API token',
    body: createTokenInput,
    access: 'signed-in',
    verified: true,
    limit: 'create',
    secret: true,
    errors: ['ACCOUNT_UNVERIFIED', 'TOO_MANY_TOKENS', 'VALIDATION_FAILED'],
    /** The token, shown this once. */
    response: z.object({ id: z.string(), token: z.string() }),
  },
  revoke: {
    method: 'DELETE',
    path: '/api/account/tokens/:id',
    summary: 'Revoke an API token',
    params: z.object({ id }),
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  revokeAll: {
    method: 'DELETE',
    path: '/api/account/tokens',
    summary: 'Revoke all your API tokens',
    access: 'signed-in',
    errors: [],
    response: z.object({ revoked: z.int() }),
  },
});

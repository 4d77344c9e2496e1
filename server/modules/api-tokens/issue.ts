import { DomainError, fieldError } from '#shared/errors.ts';
import type { CreateTokenInput } from '#shared/schemas/api-token.ts';
import { DAY } from '#shared/time.ts';
import { hasScope, TOKEN_PREFIX, TOKENS_MAX } from '#shared/token-scopes.ts';
import type { UserRow } from '../identity/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { ApiTokensDeps } from './deps.ts';
import { grantableScopes, normalizeScopes } from './policy.ts';

/** Most addresses and networks of one token. */
const ADDRESSES_MAX = 20;
/** What one address or network is written with. */
const ADDRESS = /^[\da-f.:/-]{2,90}$/i;

/** A token just made. It goes to its owner and is stored nowhere. */
export interface CreatedToken {
  readonly id: string;
  readonly token: string;
}
/** What a token is made from, its addresses read. */
interface TokenDraft extends Omit<CreateTokenInput, 'addresses'> {
  readonly addresses: readonly string[];
}

/** Makes tokens, for their owners and for operators. */
export function createIssuer(deps: ApiTokensDeps) {
  const { clock, ids } = deps;

  /** Reads the addresses and networks of an input, each once. Throws VALIDATION_FAILED with INVALID at `addresses`. */
  function toDraft(input: CreateTokenInput): TokenDraft {
    const addresses = [...new Set(input.addresses.split(/[\s,]+/).filter(Boolean))];
    const areKnown =
      addresses.every((each) => ADDRESS.test(each)) && deps.parseNetworks(addresses.join('\n')).faults.length === 0;
    if (!areKnown || addresses.length > ADDRESSES_MAX) throw fieldError('addresses', 'INVALID');
    return { ...input, addresses };
  }

  /**
   * Makes a token for a user whose row is locked. Throws TOO_MANY_TOKENS, and VALIDATION_FAILED with NOT_ALLOWED at
   * `scopes` for a right that the user lacks.
   */
  async function issue(
    tx: Tx,
    ctx: Ctx | null,
    { id: userId, roleId }: Pick<UserRow, 'id' | 'roleId'>,
    { name, addresses, ...draft }: TokenDraft,
  ): Promise<CreatedToken> {
    const scopes = normalizeScopes(draft.scopes);
    const grantable = grantableScopes(await tx.access.permissionsOf(roleId));
    if (!scopes.every((scope) => hasScope(grantable, scope))) throw fieldError('scopes', 'NOT_ALLOWED');
    if ((await tx.apiTokens.count(userId)) >= TOKENS_MAX) throw new DomainError('TOO_MANY_TOKENS');
    const [id, token, createdMs] = [ids.uuid(), TOKEN_PREFIX + ids.token(), clock.now()];
    const expiresMs = draft.expires_in_days === null ? null : createdMs + draft.expires_in_days * DAY;
    const [tokenHash, tail] = [ids.hash(token), token.slice(-4)];
    await tx.apiTokens.add({ id, userId, name, tokenHash, tail, scopes, addresses, createdMs, expiresMs });
    await deps.events.emit(tx, 'user.token_created', { userId, tokenId: id, name, scopes }, ctx);
    return { id, token };
  }

  return { toDraft, issue };
}
export type Issuer = ReturnType<typeof createIssuer>;

import { DomainError } from '#shared/errors.ts';
import type { CreateTokenInput } from '#shared/schemas/api-token.ts';
import type { UserRow } from '../identity/index.ts';
import type { Tx } from '../tx.ts';
import type { ApiTokensDeps } from './deps.ts';
import type { CreatedToken, Issuer } from './issue.ts';
import type { ApiTokenRow } from './ports.ts';
import type { Revoker } from './revoke.ts';

/**
 * What an operator does with the tokens of an account, which is named by username or address. All throw NOT_FOUND where
 * there is none.
 */
export function createOperator({ uow }: ApiTokensDeps, issuer: Issuer, revoker: Revoker) {
  async function accountOf(tx: Tx, login: string): Promise<UserRow> {
    const user = await tx.identity.findUserByLogin(login);
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    return user;
  }

  return {
    /** The latest first. */
    list: (login: string): Promise<ApiTokenRow[]> =>
      uow.read(async (tx) => tx.apiTokens.list((await accountOf(tx, login)).id)),
    /** Makes a token, with no right that the account lacks; it has to be in good standing. Throws as `Issuer.issue`. */
    create: (login: string, input: CreateTokenInput): Promise<CreatedToken> => {
      const draft = issuer.toDraft(input);
      return uow.run(async (tx) => {
        const user = await tx.identity.lockUser((await accountOf(tx, login)).id);
        if (user?.status !== 'active') throw new DomainError('NOT_FOUND');
        return issuer.issue(tx, null, user, draft);
      });
    },
    revoke: (login: string, tokenId: string): Promise<void> =>
      uow.run(async (tx) => revoker.one(tx, null, (await accountOf(tx, login)).id, tokenId)),
    /** Out: how many there were. */
    revokeAll: (login: string): Promise<number> =>
      uow.run(async (tx) => revoker.all(tx, null, (await accountOf(tx, login)).id)),
  };
}

import { DomainError, fieldError } from '#shared/errors.ts';
import { touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { isCommonPassword } from './password-policy.ts';

/** What the operator's command line does to accounts. In: a username or an e-mail address. */
export function createOperatorCommands(deps: IdentityDeps) {
  const { uow, clock, passwords } = deps;

  /** The id of an account that is not deleted. Throws NOT_FOUND. */
  async function getIdByLogin(login: string): Promise<string> {
    const user = await uow.read((tx) => tx.identity.findUserByLogin(login));
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    return user.id;
  }

  /**
   * Sets a new password. All sessions end, links for a new password are void, the second factor stays (behaviour 3.7).
   * Throws NOT_FOUND, VALIDATION_FAILED with PASSWORD_COMMON at `password`, CONFLICT when it changed meanwhile.
   */
  async function setPassword(login: string, password: string): Promise<void> {
    const user = await uow.read((tx) => tx.identity.findUserByLogin(login));
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    if (isCommonPassword(password, [user.username, user.email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    const hash = await passwords.hash(password);
    await uow.run(async (tx) => {
      const now = clock.now();
      if (!(await tx.identity.setPassword(user.id, hash, user.passwordVersion, now))) throw new DomainError('CONFLICT');
      await tx.identity.voidTokens('reset', user.id, now);
      touchSessions(tx, await tx.identity.endSessions(user.id, null));
      await deps.events.emit(tx, 'user.password_changed', { userId: user.id });
      touchUser(tx, user.id);
    });
  }

  return { getIdByLogin, setPassword };
}

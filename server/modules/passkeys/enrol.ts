import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { Challenges } from './challenges.ts';
import { handleOf, type PasskeysDeps } from './deps.ts';
import type { CeremonyOptions, MadeCredential, PasskeyRow } from './ports.ts';

/** Most passkeys of one user. */
const MAX_PASSKEYS = 20;

/** A passkey in the account of its user. */
type PasskeyInfo = Pick<PasskeyRow, 'id' | 'name' | 'createdMs' | 'usedMs' | 'backedUp' | 'copiedMs'>;
interface PasskeysPage {
  /** The domain they belong to; null where the installation has none. */
  readonly domain: string | null;
  readonly passkeys: readonly PasskeyInfo[];
  /** The session confirmed a moment ago who it is, so that passkeys may be added and removed. */
  readonly confirmed: boolean;
  /** Confirming without a passkey asks for a password, which not everybody has, */
  readonly needsPassword: boolean;
  /** And for a code of the second factor. */
  readonly needsCode: boolean;
}

/** Passkeys in the account of their user: adding, naming, removing (behaviour 3.5, 3.8; attacks T31). */
export function createEnrolment(deps: PasskeysDeps, challenges: Challenges) {
  const { uow, clock, ids, events, webAuthn } = deps;
  const { confirmation } = deps.identity;

  /** The caller's passkeys, the oldest first, and what changing them asks for. */
  function list(ctx: SignedIn): Promise<PasskeysPage> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => ({
      domain: webAuthn.domain(),
      passkeys: await tx.passkeys.list(userId),
      confirmed: await confirmation.isConfirmed(tx, ctx),
      needsPassword: await confirmation.needsPassword(tx, ctx),
      needsCode: (await tx.factors.find(userId))?.secret != null,
    }));
  }

  /** Whether there is a passkey that the user could be asked for. */
  function hasAny(userId: string): Promise<boolean> {
    if (webAuthn.domain() === null) return Promise.resolve(false);
    return uow.read(async (tx) => (await tx.passkeys.list(userId)).length > 0);
  }

  /**
   * What the browser makes a passkey with. Throws FEATURE_DISABLED where the installation has no domain,
   * CONFIRM_REQUIRED, PASSKEY_LIMIT.
   */
  async function begin(ctx: SignedIn): Promise<CeremonyOptions> {
    if (webAuthn.domain() === null) throw new DomainError('FEATURE_DISABLED');
    const { userId, username, sessionId } = ctx.actor;
    const known = await uow.read(async (tx) => {
      await confirmation.assertConfirmed(tx, ctx);
      return tx.passkeys.list(userId);
    });
    if (known.length >= MAX_PASSKEYS) throw new DomainError('PASSKEY_LIMIT');
    return webAuthn.creationOptions({
      challenge: challenges.issue('enrol', sessionId),
      site: deps.settings.current().app_name,
      handle: handleOf(userId),
      username,
      known,
    });
  }

  /**
   * Adds the passkey that the browser made. Out: its id. Throws PASSKEY_EXPIRED, PASSKEY_REFUSED (it proves nothing,
   * its challenge was used, or an account has it), CONFIRM_REQUIRED, PASSKEY_LIMIT, UNAUTHENTICATED.
   */
  async function add(ctx: SignedIn, { name, ...made }: MadeCredential & { readonly name: string }): Promise<string> {
    const { userId, sessionId } = ctx.actor;
    const answered = webAuthn.challengeIn(made.client_data);
    const challenge = challenges.check('enrol', sessionId, answered);
    if (challenge === 'expired') throw new DomainError('PASSKEY_EXPIRED');
    const found = challenge && answered !== null ? await webAuthn.checkCreation(made, answered) : null;
    if (challenge === null || found === null) throw new DomainError('PASSKEY_REFUSED');
    const id = ids.uuid();
    await uow.run(async (tx) => {
      await lockActive(tx, userId);
      await confirmation.assertConfirmed(tx, ctx);
      if (!(await tx.challenge.use(challenge.id, challenge.expiresMs))) throw new DomainError('PASSKEY_REFUSED');
      if ((await tx.passkeys.list(userId)).length >= MAX_PASSKEYS) throw new DomainError('PASSKEY_LIMIT');
      const row = { ...found, id, userId, name, transports: made.transports, createdMs: clock.now() };
      if (!(await tx.passkeys.add(row))) throw new DomainError('PASSKEY_REFUSED');
      await events.emit(tx, 'user.passkey_added', { userId, passkeyId: id, name }, ctx);
      tx.touch(`user:${userId}`);
    });
    return id;
  }

  /** Gives a passkey another name. Throws NOT_FOUND where it is not the caller's (attacks T24). */
  function rename(ctx: SignedIn, id: string, name: string): Promise<void> {
    return uow.run(async (tx) => {
      await lockActive(tx, ctx.actor.userId);
      const passkey = await findOwn(tx, ctx, id);
      await tx.passkeys.rename(id, name);
      const [before, after] = [{ name: passkey.name }, { name }];
      await writeAudit(tx, deps, ctx, { action: 'account.passkey_rename', target: id, before, after });
      tx.touch(`user:${ctx.actor.userId}`);
    });
  }

  /**
   * Removes a passkey: nobody logs in with it from now on. Throws NOT_FOUND, CONFIRM_REQUIRED, or LAST_WAY_IN where
   * nobody could log in without it.
   */
  function remove(ctx: SignedIn, id: string): Promise<void> {
    const { userId } = ctx.actor;
    return uow.run(async (tx) => {
      await lockActive(tx, userId);
      const { name } = await findOwn(tx, ctx, id);
      await confirmation.assertConfirmed(tx, ctx);
      const ways = await deps.identities.listLogins(tx, userId);
      if (!ways.some((way) => way !== id)) throw new DomainError('LAST_WAY_IN');
      await tx.passkeys.remove(id);
      await events.emit(tx, 'user.passkey_removed', { userId, passkeyId: id, name }, ctx);
      tx.touch(`user:${userId}`);
    });
  }

  return { list, hasAny, begin, add, rename, remove };
}

/** Locks a user's row. Throws UNAUTHENTICATED when the account is not active. */
async function lockActive(tx: Tx, userId: string) {
  const user = await tx.identity.lockUser(userId);
  if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
  return user;
}

/** A passkey of the caller. Throws NOT_FOUND where it is not theirs (attacks T24). */
async function findOwn(tx: Tx, ctx: SignedIn, id: string): Promise<PasskeyRow> {
  const passkey = await tx.passkeys.find(id);
  if (passkey?.userId !== ctx.actor.userId) throw new DomainError('NOT_FOUND');
  return passkey;
}

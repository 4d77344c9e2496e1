import { DomainError } from '#shared/errors.ts';
import type { UserRow } from '../identity/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { Challenges, Purpose } from './challenges.ts';
import { handleOf, type PasskeysDeps } from './deps.ts';
import type { PasskeyProof, PasskeyRow, WebAuthn } from './ports.ts';

type Signed = NonNullable<Awaited<ReturnType<WebAuthn['checkProof']>>>;
/** The outcome of a command whose refusal is committed as well, so that a copy is remembered. */
type Outcome<T> = { readonly done: T } | { readonly refused: DomainError };

/** What a proof has to be good for. */
interface Wanted {
  readonly purpose: Purpose;
  /** Whom the challenge was issued to: a session's id, or the hash of a guest's device token. */
  readonly holder: string;
  /** Fingerprint, face or PIN is a must: then the passkey alone is two factors. */
  readonly verified: boolean;
  /** Whose passkey it has to be; null: whoever's it is. */
  readonly userId: string | null;
}

/** Checks what authenticators sign, and counts it (behaviour 3.5; attacks T30). */
export function createProofs(deps: PasskeysDeps, challenges: Challenges) {
  const { uow, clock, webAuthn } = deps;

  /**
   * Checks a proof and runs a command for its user in one transaction, once for each challenge. The user's row is
   * locked. Throws PASSKEY_UNKNOWN (no such passkey, or not this user's), PASSKEY_EXPIRED, PASSKEY_REFUSED (signature,
   * challenge, origin, counter or user are wrong).
   */
  async function withProof<T>(
    ctx: Ctx,
    proof: PasskeyProof,
    wanted: Wanted,
    work: (tx: Tx, user: UserRow, passkey: PasskeyRow) => Promise<T>,
  ): Promise<T> {
    const answered = webAuthn.challengeIn(proof.client_data);
    const challenge = challenges.check(wanted.purpose, wanted.holder, answered);
    if (challenge === 'expired') throw new DomainError('PASSKEY_EXPIRED');
    if (challenge === null || answered === null) throw new DomainError('PASSKEY_REFUSED');
    const passkey = await uow.read((tx) => tx.passkeys.findByCredential(proof.id));
    if (!passkey || !belongs(passkey, proof, wanted)) throw new DomainError('PASSKEY_UNKNOWN');
    const signed = await webAuthn.checkProof(proof, passkey, { challenge: answered, verified: wanted.verified });
    if (!signed) throw new DomainError('PASSKEY_REFUSED');
    const outcome = await uow.run(async (tx): Promise<Outcome<T>> => {
      if (!(await tx.challenge.use(challenge.id, challenge.expiresMs)))
        return { refused: new DomainError('PASSKEY_REFUSED') };
      const user = await tx.identity.lockUser(passkey.userId);
      const current = await tx.passkeys.find(passkey.id);
      if (!user || user.status === 'deleted' || !current) return { refused: new DomainError('PASSKEY_UNKNOWN') };
      if (!(await recordUse(tx, ctx, current, signed))) return { refused: new DomainError('PASSKEY_REFUSED') };
      return { done: await work(tx, user, current) };
    });
    if ('refused' in outcome) throw outcome.refused;
    return outcome.done;
  }

  /**
   * Records that a passkey was used; false where the counter shows a copy or the passkey has become another kind. The
   * library compares neither under the lock of the row: of two uses at once both would pass there.
   */
  async function recordUse(tx: Tx, ctx: Ctx, passkey: PasskeyRow, signed: Signed): Promise<boolean> {
    const { id, userId, name, counter, multiDevice } = passkey;
    const now = clock.now();
    if (signed.multiDevice !== multiDevice) return false;
    if ((signed.counter > 0 || counter > 0) && signed.counter <= counter) {
      await tx.passkeys.recordCopy(id, now);
      await deps.events.emit(tx, 'user.passkey_copied', { userId, passkeyId: id, name }, ctx);
      return false;
    }
    await tx.passkeys.recordUse(id, { counter: signed.counter, backedUp: signed.backedUp, atMs: now });
    return true;
  }

  return { withProof };
}

/**
 * Whether a passkey is one that is asked for. The library only checks the signature of the key it is given: that the
 * authenticator has the key for this very account is compared here. Where anybody may come, it has to say so.
 */
function belongs({ userId }: PasskeyRow, { user_handle: handle }: PasskeyProof, wanted: Wanted): boolean {
  if (wanted.userId !== null && wanted.userId !== userId) return false;
  return handle === undefined ? wanted.userId !== null : handle === handleOf(userId);
}

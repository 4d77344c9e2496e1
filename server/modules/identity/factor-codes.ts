import { fieldError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import { countWrong, resetTries, waitFor, windowsOf, type Window } from './factor-tries.ts';
import type { FactorRow } from './ports.ts';
import { keyedCode, keyedHash, plainCode, recoveryCodes } from './recovery-codes.ts';
import type { Throttle } from './throttle.ts';

/** Free wrong passwords before the pauses, as for a change of the password. */
const FREE_PASSWORDS = 5;
/** A code of an authenticator app. */
const APP_CODE = /^\d{6}$/;
/** Old recovery codes that one transaction rehashes. */
const OLD_CODES = 500;
/** Purpose under which secrets are sealed. */
const PURPOSE = 'second_factor';

/** What was typed, and the token that names the browser ('' where it brought none). */
export interface TypedCode {
  readonly code: string;
  readonly device: string;
}
type CheckedCode = 'right' | 'recovery' | 'wrong' | { readonly waitS: number };
export type FactorCodes = ReturnType<typeof createFactorCodes>;

/** Codes of the second factor: the app's, and recovery codes (behaviour 3.5; attacks T30, T32). */
export function createFactorCodes(deps: IdentityDeps) {
  const { uow, clock, ids, totp, sealer } = deps;

  /** What stands for a secret in the database. */
  const seal = (userId: string, secret: string): string => sealer.seal(PURPOSE, userId, secret);

  /** The secret behind what stands in the database; null where there is none, or it cannot be read. */
  function open(userId: string, text: string | null): string | null {
    const found = text === null ? null : sealer.open(PURPOSE, userId, text);
    if (found === null || 'text' in found) return found?.text ?? null;
    deps.log.error('second_factor.unreadable', { user_id: userId, fault: found.fault });
    return null;
  }

  /** What stands for a recovery code in the database. */
  const codeKey = (userId: string, code: string): string => keyedCode(deps, userId, plainCode(code));

  async function windowsFor(tx: Tx, ctx: SignedIn, device: string): Promise<Window[]> {
    const key = ids.hash(device);
    return windowsOf(ctx, key, await tx.factors.trusts(ctx.actor.userId, key));
  }

  /** Checks a code of the app. What it writes has to be committed also where it refuses. */
  async function checkApp(tx: Tx, ctx: SignedIn, row: FactorRow, { code, device }: TypedCode): Promise<CheckedCode> {
    const now = clock.now();
    const windows = await windowsFor(tx, ctx, device);
    const waitS = await waitFor(tx, windows, now);
    if (waitS > 0) return { waitS };
    const plain = plainCode(code);
    const secret = open(row.userId, row.secret);
    const step = secret !== null && APP_CODE.test(plain) ? totp.stepOf(secret, plain, now) : null;
    if (step === null || step <= row.lastStep) {
      await countWrong(tx, windows, now);
      return 'wrong';
    }
    await tx.factors.save({ ...row, lastStep: step });
    await resetTries(tx, windows);
    return 'right';
  }

  /**
   * Checks a code of the app or a recovery code. Recovery codes are too long to be guessed: wrong codes of the app do
   * not hold them up, nor are they counted.
   */
  async function checkAny(tx: Tx, ctx: SignedIn, row: FactorRow, typed: TypedCode): Promise<CheckedCode> {
    if (APP_CODE.test(plainCode(typed.code))) return checkApp(tx, ctx, row, typed);
    if (!(await tx.factors.useCode(row.userId, codeKey(row.userId, typed.code), clock.now()))) return 'wrong';
    await resetTries(tx, await windowsFor(tx, ctx, typed.device));
    return 'recovery';
  }

  /** Replaces the recovery codes of a user. Out: the new ones, which are readable this once. */
  async function replaceCodes(tx: Tx, userId: string): Promise<string[]> {
    const codes = recoveryCodes(ids);
    const keys = codes.map((code) => codeKey(userId, code));
    await tx.factors.setCodes(userId, keys);
    return codes;
  }

  /**
   * Puts keyed hashes in the place of those that were made before there was a key for them: whoever reads the table
   * cannot try codes out. For the start.
   */
  async function rehashOldCodes(): Promise<void> {
    for (let more = true; more;) {
      more = await uow.run(async (tx) => {
        const old = await tx.factors.plainCodes(OLD_CODES);
        for (const code of old) await tx.factors.rehash(code, keyedHash(deps, code.userId, code.hash));
        return old.length === OLD_CODES;
      });
    }
  }

  return { seal, open, checkApp, checkAny, replaceCodes, keyOldCodes: rehashOldCodes };
}

/**
 * Asserts that a password is the caller's. Slowed down like every guess. Throws VALIDATION_FAILED with PASSWORD_WRONG
 * at `password`, RATE_LIMITED.
 */
export async function assertPassword(
  { uow, passwords }: Pick<IdentityDeps, 'uow' | 'passwords'>,
  throttle: Throttle,
  ctx: SignedIn,
  password: string,
): Promise<void> {
  const user = await uow.read((tx) => tx.identity.user(ctx.actor.userId));
  const gates = [{ key: `password:${ctx.actor.userId}`, free: FREE_PASSWORDS }];
  await throttle.take(gates);
  let right: boolean;
  try {
    right = await passwords.verify(password, user?.passwordHash ?? null);
  } catch (error) {
    await throttle.refund(gates);
    throw error;
  }
  if (!right) throw fieldError('password', 'PASSWORD_WRONG');
  await throttle.refund(gates, gates);
}

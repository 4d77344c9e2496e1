import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import { countWrongCode, clearTries, secondsToWait, tryWindows, type TryWindow } from './factor-tries.ts';
import type { FactorRow } from './ports.ts';
import { hashRecoveryCode, toKeyedHash, normalizeCode, generateRecoveryCodes } from './recovery-codes.ts';

/** A code of an authenticator app. */
const APP_CODE = /^\d{6}$/;
/** Recovery codes that one transaction rehashes. */
const REHASH_BATCH = 500;
/** Purpose under which secrets are sealed. */
const SEAL_PURPOSE = 'second_factor';

/** The code as typed, and the device token of the browser ('' when it has none). */
export interface TypedCode {
  readonly code: string;
  readonly device: string;
}
/** What a check found; `waitS`: seconds until the next try is allowed. */
type CheckedCode = 'right' | 'recovery' | 'wrong' | { readonly waitS: number };
export type FactorCodes = ReturnType<typeof createFactorCodes>;

/** Verifies and replaces codes of the second factor: of the app, and recovery codes (behaviour 3.5; attacks T30, T32). */
export function createFactorCodes(deps: IdentityDeps) {
  const { uow, clock, ids, totp, sealer } = deps;

  /** A secret as the database stores it: sealed. */
  const seal = (userId: string, secret: string): string => sealer.seal(SEAL_PURPOSE, userId, secret);

  /** Opens a sealed secret; null when there is none, or (logged) it cannot be read. */
  function open(userId: string, text: string | null): string | null {
    const opened = text === null ? null : sealer.open(SEAL_PURPOSE, userId, text);
    if (opened === null || 'text' in opened) return opened?.text ?? null;
    deps.log.error('second_factor.unreadable', { user_id: userId, fault: opened.fault });
    return null;
  }

  /** A recovery code as the database stores it: a keyed hash. */
  const hashCode = (userId: string, code: string): string => hashRecoveryCode(deps, userId, normalizeCode(code));

  async function loadWindows(tx: Tx, ctx: SignedIn, device: string): Promise<TryWindow[]> {
    const key = ids.hash(device);
    return tryWindows(ctx, key, await tx.factors.isTrustedDevice(ctx.actor.userId, key));
  }

  /** Checks a code of the app and counts it. The transaction must be committed even when the code is refused. */
  async function checkAppCode(
    tx: Tx,
    ctx: SignedIn,
    row: FactorRow,
    { code, device }: TypedCode,
  ): Promise<CheckedCode> {
    const now = clock.now();
    const windows = await loadWindows(tx, ctx, device);
    const waitS = await secondsToWait(tx, windows, now);
    if (waitS > 0) return { waitS };
    const plain = normalizeCode(code);
    const secret = open(row.userId, row.secret);
    const step = secret !== null && APP_CODE.test(plain) ? totp.stepOf(secret, plain, now) : null;
    if (step === null || step <= row.lastStep) {
      await countWrongCode(tx, windows, now);
      return 'wrong';
    }
    await tx.factors.save({ ...row, lastStep: step });
    await clearTries(tx, windows);
    return 'right';
  }

  /**
   * Checks a code of the app or a recovery code, as `checkAppCode` does. Recovery codes are too long to be guessed:
   * they are neither delayed by wrong codes of the app nor counted.
   */
  async function checkCode(tx: Tx, ctx: SignedIn, row: FactorRow, typed: TypedCode): Promise<CheckedCode> {
    if (APP_CODE.test(normalizeCode(typed.code))) return checkAppCode(tx, ctx, row, typed);
    if (!(await tx.factors.useCode(row.userId, hashCode(row.userId, typed.code), clock.now()))) return 'wrong';
    await clearTries(tx, await loadWindows(tx, ctx, typed.device));
    return 'recovery';
  }

  /** Replaces the recovery codes of a user. Returns the new codes in the clear, which is possible only now. */
  async function replaceCodes(tx: Tx, userId: string): Promise<string[]> {
    const codes = generateRecoveryCodes(ids);
    const keys = codes.map((code) => hashCode(userId, code));
    await tx.factors.replaceCodes(userId, keys);
    return codes;
  }

  /**
   * Replaces hashes made without the installation's key by keyed ones, so that a reader of the table cannot test codes.
   * Runs at the start.
   */
  async function rehashOldCodes(): Promise<void> {
    for (let more = true; more;) {
      more = await uow.run(async (tx) => {
        const old = await tx.factors.listUnkeyedCodes(REHASH_BATCH);
        for (const code of old) await tx.factors.replaceCodeHash(code, toKeyedHash(deps, code.userId, code.hash));
        return old.length === REHASH_BATCH;
      });
    }
  }

  return { seal, open, checkAppCode, checkCode, replaceCodes, rehashOldCodes };
}

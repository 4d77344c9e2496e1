import { DomainError, fieldError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import type { FactorRow, UserRow } from './ports.ts';
import { countWrong, forgive, waitFor, windowsOf, type Window } from './factor-tries.ts';
import { keyedCode, keyedHash, plainCode, recoveryCodes } from './recovery-codes.ts';
import { SESSION_LIFE } from './sessions.ts';
import type { Throttle } from './throttle.ts';

/** A set-up that nobody finished is over after so long. */
const SETUP_LIFE = 15 * MINUTE;
/** Free wrong passwords before the pauses, as for a change of the password. */
const FREE_PASSWORDS = 5;
/** A code of an authenticator app. */
const APP_CODE = /^\d{6}$/;
/** Old recovery codes that one transaction looks at. */
const OLD_CODES = 500;
/** Purpose under which secrets are sealed. */
const PURPOSE = 'second_factor';

export interface FactorState {
  readonly enabled: boolean;
  readonly recoveryLeft: number;
  /** What an authenticator app needs; null while nothing is being set up. */
  readonly pending: { readonly secret: string; readonly uri: string } | null;
}
/** What was typed, and the token that names the browser ('' where it brought none). */
interface Typed {
  readonly code: string;
  readonly device: string;
}
type Checked = 'right' | 'recovery' | 'wrong' | { readonly waitS: number };
type Outcome<T> = { readonly done: T } | { readonly refused: DomainError };

/**
 * The second factor (behaviour 3.5; attacks T30–T32). Every command locks the user's row, so two at once come one after
 * the other.
 */
export function createTwoFactor(deps: IdentityDeps, throttle: Throttle) {
  const { uow, clock, ids, totp, sealer } = deps;

  const sealed = (userId: string, secret: string) => sealer.seal(PURPOSE, userId, secret);
  function opened(userId: string, text: string | null): string | null {
    const found = text === null ? null : sealer.open(PURPOSE, userId, text);
    if (found === null || 'text' in found) return found?.text ?? null;
    deps.log.error('second_factor.unreadable', { user_id: userId, fault: found.fault });
    return null;
  }
  const fresh = (userId: string): FactorRow => ({
    userId,
    secret: null,
    enabledMs: null,
    lastStep: 0,
    pending: null,
    pendingMs: null,
    pendingSession: null,
  });
  /** The secret that the caller's session is setting up; null where it is none, another session's, or over. */
  const pendingOf = (ctx: SignedIn, row: FactorRow | null) =>
    row?.pendingMs != null && row.pendingSession === ctx.actor.sessionId && clock.now() - row.pendingMs < SETUP_LIFE
      ? opened(row.userId, row.pending)
      : null;

  /** The caller's factor, its row under lock. Throws UNAUTHENTICATED where the account went away meanwhile. */
  async function lock(tx: Tx, ctx: SignedIn): Promise<{ user: UserRow; row: FactorRow }> {
    const user = await tx.identity.lockUser(ctx.actor.userId);
    if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
    return { user, row: (await tx.factors.find(user.id)) ?? fresh(user.id) };
  }

  /**
   * Is the caller's password this one? Slowed down like every guess. Throws VALIDATION_FAILED with PASSWORD_WRONG at
   * `password`, RATE_LIMITED.
   */
  async function assertPassword(ctx: SignedIn, password: string): Promise<void> {
    const user = await uow.read((tx) => tx.identity.user(ctx.actor.userId));
    const gates = [{ key: `password:${ctx.actor.userId}`, free: FREE_PASSWORDS }];
    await throttle.take(gates);
    let right: boolean;
    try {
      right = await deps.passwords.verify(password, user?.passwordHash ?? null);
    } catch (error) {
      await throttle.giveBack(gates);
      throw error;
    }
    if (!right) throw fieldError('password', 'PASSWORD_WRONG');
    await throttle.giveBack(gates, gates);
  }

  /** What stands for a recovery code in the database. */
  const codeKey = (userId: string, code: string): string => keyedCode(deps, userId, plainCode(code));

  async function windowsFor(tx: Tx, ctx: SignedIn, device: string): Promise<Window[]> {
    const key = ids.hash(device);
    return windowsOf(ctx, key, await tx.factors.trusts(ctx.actor.userId, key));
  }

  /** A code of the app. What it writes has to be committed also where it refuses. */
  async function check(tx: Tx, ctx: SignedIn, row: FactorRow, { code, device }: Typed): Promise<Checked> {
    const now = clock.now();
    const windows = await windowsFor(tx, ctx, device);
    const waitS = await waitFor(tx, windows, now);
    if (waitS > 0) return { waitS };
    const plain = plainCode(code);
    const secret = opened(row.userId, row.secret);
    const step = secret !== null && APP_CODE.test(plain) ? totp.stepOf(secret, plain, now) : null;
    if (step === null || step <= row.lastStep) {
      await countWrong(tx, windows, now);
      return 'wrong';
    }
    await tx.factors.save({ ...row, lastStep: step });
    await forgive(tx, windows);
    return 'right';
  }

  /**
   * A code of the app or a recovery code. Recovery codes are too long to be guessed: wrong codes of the app do not hold
   * them up, nor are they counted.
   */
  async function checkAny(tx: Tx, ctx: SignedIn, row: FactorRow, typed: Typed): Promise<Checked> {
    if (APP_CODE.test(plainCode(typed.code))) return check(tx, ctx, row, typed);
    if (!(await tx.factors.useCode(row.userId, codeKey(row.userId, typed.code), clock.now()))) return 'wrong';
    await forgive(tx, await windowsFor(tx, ctx, typed.device));
    return 'recovery';
  }

  /** Runs a command behind a code. A refusal is committed, so that the try counts, and thrown afterwards. */
  async function behindCode<T>(
    ctx: SignedIn,
    typed: Typed,
    work: (tx: Tx, user: UserRow, row: FactorRow) => Promise<T>,
  ): Promise<T> {
    const outcome = await uow.run(async (tx): Promise<Outcome<T>> => {
      const { user, row } = await lock(tx, ctx);
      if (row.secret === null) return { refused: new DomainError('TWO_FACTOR_OFF') };
      const checked = await checkAny(tx, ctx, row, typed);
      if (typeof checked === 'object')
        return { refused: new DomainError('RATE_LIMITED', { retryAfterS: checked.waitS }) };
      if (checked === 'wrong') return { refused: fieldError('code', 'CODE_WRONG') };
      if (checked === 'recovery') await tellRecovery(tx, ctx, user.id);
      return { done: await work(tx, user, (await tx.factors.find(user.id)) ?? row) };
    });
    if ('refused' in outcome) throw outcome.refused;
    return outcome.done;
  }

  async function tellRecovery(tx: Tx, ctx: SignedIn, userId: string): Promise<void> {
    const left = await tx.factors.codesLeft(userId);
    await deps.events.emit(tx, 'user.recovery_code_used', { userId, left }, ctx);
  }

  async function newCodes(tx: Tx, userId: string): Promise<string[]> {
    const codes = recoveryCodes(ids);
    await tx.factors.setCodes(
      userId,
      codes.map((code) => codeKey(userId, code)),
    );
    return codes;
  }

  /** How it stands with the caller's factor. */
  function state(ctx: SignedIn): Promise<FactorState> {
    return uow.read(async (tx) => {
      const { userId, username } = ctx.actor;
      const row = await tx.factors.find(userId);
      const secret = pendingOf(ctx, row);
      return {
        enabled: row?.secret != null,
        recoveryLeft: await tx.factors.codesLeft(userId),
        pending: secret === null ? null : { secret, uri: totp.uri(secret, deps.settings.current().app_name, username) },
      };
    });
  }

  /**
   * Begins the set-up, or begins it anew; a factor that is on stays as it is (attacks T31). Throws TWO_FACTOR_ON, and
   * as `assertPassword`.
   */
  async function begin(ctx: SignedIn, password: string): Promise<void> {
    await assertPassword(ctx, password);
    await uow.run(async (tx) => {
      const { user, row } = await lock(tx, ctx);
      if (row.secret !== null) throw new DomainError('TWO_FACTOR_ON');
      await tx.factors.save({
        ...row,
        pending: sealed(user.id, totp.newSecret()),
        pendingMs: clock.now(),
        pendingSession: ctx.actor.sessionId,
      });
    });
  }

  /** Cancels a set-up that is not finished; whatever is on stays on. Out: whether the factor is on. */
  function cancel(ctx: SignedIn): Promise<boolean> {
    return uow.run(async (tx) => {
      const { row } = await lock(tx, ctx);
      if (row.pending !== null) await tx.factors.save({ ...row, pending: null, pendingMs: null, pendingSession: null });
      return row.secret !== null;
    });
  }

  /**
   * Switches the factor on: the code shows that the app has the secret. The caller's session counts as passed, all
   * others have to pass. Out: ten recovery codes, shown this once. Throws TWO_FACTOR_ON, TWO_FACTOR_SETUP_OVER,
   * VALIDATION_FAILED with CODE_WRONG at `code`, RATE_LIMITED.
   */
  async function confirm(ctx: SignedIn, code: string, device = ''): Promise<string[]> {
    const outcome = await uow.run(async (tx): Promise<Outcome<string[]>> => {
      const { user, row } = await lock(tx, ctx);
      if (row.secret !== null) return { refused: new DomainError('TWO_FACTOR_ON') };
      if (pendingOf(ctx, row) === null) return { refused: new DomainError('TWO_FACTOR_SETUP_OVER') };
      const checked = await check(tx, ctx, { ...row, secret: row.pending }, { code, device });
      if (typeof checked === 'object')
        return { refused: new DomainError('RATE_LIMITED', { retryAfterS: checked.waitS }) };
      if (checked !== 'right') return { refused: fieldError('code', 'CODE_WRONG') };
      const now = clock.now();
      const checkedRow = (await tx.factors.find(user.id)) ?? row;
      await tx.factors.save({
        ...checkedRow,
        secret: row.pending,
        enabledMs: now,
        pending: null,
        pendingMs: null,
        pendingSession: null,
      });
      const codes = await newCodes(tx, user.id);
      await tx.factors.markPassed(ctx.actor.sessionId, now);
      await tx.factors.trust(user.id, ids.hash(device), now);
      await deps.events.emit(tx, 'user.two_factor_enabled', { userId: user.id }, ctx);
      await touchEverySession(tx, user.id);
      return { done: codes };
    });
    if ('refused' in outcome) throw outcome.refused;
    return outcome.done;
  }

  /** Every session of the user is asked anew what it may do. */
  async function touchEverySession(tx: Tx, userId: string): Promise<void> {
    touchSessions(
      tx,
      (await tx.identity.sessionsOf(userId, clock.now())).map(({ id }) => id),
    );
    touchUser(tx, userId);
  }

  /**
   * Passes the second factor for the caller's session, which gets a new secret (attacks T35): the answer. Takes a code
   * of the app or a recovery code. Throws TWO_FACTOR_OFF, VALIDATION_FAILED with CODE_WRONG at `code`, RATE_LIMITED
   * (five wrong codes of the app in fifteen minutes), UNAUTHENTICATED.
   */
  function verify(ctx: SignedIn, code: string, device = ''): Promise<string> {
    return behindCode(ctx, { code, device }, async (tx, user) => {
      const now = clock.now();
      const secret = ids.token();
      if (!(await tx.identity.rotateSession(ctx.actor.sessionId, ids.hash(secret), now + SESSION_LIFE)))
        throw new DomainError('UNAUTHENTICATED');
      await tx.factors.markPassed(ctx.actor.sessionId, now);
      await tx.factors.trust(user.id, ids.hash(device), now);
      touchSessions(tx, [ctx.actor.sessionId]);
      await writeAudit(tx, deps, ctx, { action: 'account.second_factor', target: user.id });
      return secret;
    });
  }

  /** Switches the factor off: needs password and code. Throws TWO_FACTOR_OFF, and as `assertPassword` and `verify`. */
  async function disable(ctx: SignedIn, input: { password: string; code: string }, device = ''): Promise<void> {
    await assertPassword(ctx, input.password);
    await behindCode(ctx, { ...input, device }, async (tx, user) => {
      await tx.factors.remove(user.id);
      await deps.events.emit(tx, 'user.two_factor_disabled', { userId: user.id }, ctx);
      await touchEverySession(tx, user.id);
    });
  }

  /** New recovery codes in the place of the old ones: needs password and code. Throws as `disable`. */
  async function renewCodes(ctx: SignedIn, input: { password: string; code: string }, device = ''): Promise<string[]> {
    await assertPassword(ctx, input.password);
    return behindCode(ctx, { ...input, device }, async (tx, user) => {
      await writeAudit(tx, deps, ctx, { action: 'account.recovery_codes', target: user.id });
      return newCodes(tx, user.id);
    });
  }

  /** The operator takes a user's factor away, for somebody who lost everything. Throws NOT_FOUND, TWO_FACTOR_OFF. */
  function remove(login: string): Promise<void> {
    return uow.run(async (tx) => {
      const found = await tx.identity.userByLogin(login);
      const user = found && (await tx.identity.lockUser(found.id));
      if (!user) throw new DomainError('NOT_FOUND');
      if ((await tx.factors.find(user.id))?.secret == null) throw new DomainError('TWO_FACTOR_OFF');
      await tx.factors.remove(user.id);
      await deps.events.emit(tx, 'user.two_factor_disabled', { userId: user.id });
      await touchEverySession(tx, user.id);
    });
  }

  /**
   * Puts keyed hashes in the place of those that were made before there was a key for them: whoever reads the table
   * cannot try codes out. For the start.
   */
  async function keyOldCodes(): Promise<void> {
    for (let more = true; more;) {
      more = await uow.run(async (tx) => {
        const old = await tx.factors.plainCodes(OLD_CODES);
        for (const code of old) await tx.factors.rehash(code, keyedHash(deps, code.userId, code.hash));
        return old.length === OLD_CODES;
      });
    }
  }

  return { keyOldCodes, state, begin, cancel, confirm, verify, disable, renewCodes, remove };
}

import { DomainError, fieldError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { assertPassword, type FactorCodes } from './factor-codes.ts';
import type { FactorRow, UserRow } from './ports.ts';
import type { Throttle } from './throttle.ts';

/** A set-up that nobody finished is over after so long. */
const SETUP_LIFE = 15 * MINUTE;

interface FactorState {
  readonly enabled: boolean;
  readonly recoveryLeft: number;
  /** What an authenticator app needs; null while nothing is being set up. */
  readonly pending: { readonly secret: string; readonly uri: string } | null;
}
/** What came of a command whose refusal is committed, so that its try counts. */
export type Outcome<T> = { readonly done: T } | { readonly refused: DomainError };

/** The caller's factor, its row under lock. Throws UNAUTHENTICATED where the account went away meanwhile. */
export async function lockFactor(tx: Tx, ctx: SignedIn): Promise<{ user: UserRow; row: FactorRow }> {
  const user = await tx.identity.lockUser(ctx.actor.userId);
  if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
  return { user, row: (await tx.factors.find(user.id)) ?? emptyFactor(user.id) };
}

const emptyFactor = (userId: string): FactorRow => ({
  userId,
  secret: null,
  enabledMs: null,
  lastStep: 0,
  pending: null,
  pendingMs: null,
  pendingSession: null,
});
const NOTHING_PENDING = { pending: null, pendingMs: null, pendingSession: null } as const;

/** Tells caches and streams after commit that every session of a user is to be asked anew what it may do. */
export async function touchEverySession(tx: Tx, userId: string, nowMs: number): Promise<void> {
  const sessions = await tx.identity.sessionsOf(userId, nowMs);
  touchSessions(
    tx,
    sessions.map(({ id }) => id),
  );
  touchUser(tx, userId);
}

/** Setting the second factor up (behaviour 3.5; attacks T31). */
export function createFactorSetup(deps: IdentityDeps, throttle: Throttle, codes: FactorCodes) {
  const { uow, clock, ids, totp } = deps;

  /** The secret that the caller's session is setting up; null where it is none, another session's, or over. */
  const pendingOf = (ctx: SignedIn, row: FactorRow | null) =>
    row?.pendingMs != null && row.pendingSession === ctx.actor.sessionId && clock.now() - row.pendingMs < SETUP_LIFE
      ? codes.open(row.userId, row.pending)
      : null;

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
    await assertPassword(deps, throttle, ctx, password);
    await uow.run(async (tx) => {
      const { user, row } = await lockFactor(tx, ctx);
      if (row.secret !== null) throw new DomainError('TWO_FACTOR_ON');
      await tx.factors.save({
        ...row,
        pending: codes.seal(user.id, totp.newSecret()),
        pendingMs: clock.now(),
        pendingSession: ctx.actor.sessionId,
      });
    });
  }

  /** Cancels a set-up that is not finished; whatever is on stays on. Out: whether the factor is on. */
  function cancel(ctx: SignedIn): Promise<boolean> {
    return uow.run(async (tx) => {
      const { row } = await lockFactor(tx, ctx);
      if (row.pending !== null) await tx.factors.save({ ...row, ...NOTHING_PENDING });
      return row.secret !== null;
    });
  }

  /**
   * Turns the factor on: the code shows that the app has the secret. The caller's session counts as passed, all others
   * have to pass. Out: ten recovery codes, shown this once. Throws TWO_FACTOR_ON, TWO_FACTOR_SETUP_OVER,
   * VALIDATION_FAILED with CODE_WRONG at `code`, RATE_LIMITED.
   */
  async function confirm(ctx: SignedIn, code: string, device = ''): Promise<string[]> {
    const outcome = await uow.run(async (tx): Promise<Outcome<string[]>> => {
      const { user, row } = await lockFactor(tx, ctx);
      if (row.secret !== null) return { refused: new DomainError('TWO_FACTOR_ON') };
      if (pendingOf(ctx, row) === null) return { refused: new DomainError('TWO_FACTOR_SETUP_OVER') };
      const checked = await codes.checkApp(tx, ctx, { ...row, secret: row.pending }, { code, device });
      if (typeof checked === 'object')
        return { refused: new DomainError('RATE_LIMITED', { retryAfterS: checked.waitS }) };
      if (checked !== 'right') return { refused: fieldError('code', 'CODE_WRONG') };
      return { done: await enable(tx, ctx, user.id, row, device) };
    });
    if ('refused' in outcome) throw outcome.refused;
    return outcome.done;
  }

  async function enable(tx: Tx, ctx: SignedIn, userId: string, row: FactorRow, device: string): Promise<string[]> {
    const now = clock.now();
    const checkedRow = (await tx.factors.find(userId)) ?? row;
    await tx.factors.save({ ...checkedRow, ...NOTHING_PENDING, secret: row.pending, enabledMs: now });
    const made = await codes.replaceCodes(tx, userId);
    await tx.factors.markPassed(ctx.actor.sessionId, now);
    await tx.factors.trust(userId, ids.hash(device), now);
    await deps.events.emit(tx, 'user.two_factor_enabled', { userId }, ctx);
    await touchEverySession(tx, userId, now);
    return made;
  }

  return { state, begin, cancel, confirm };
}

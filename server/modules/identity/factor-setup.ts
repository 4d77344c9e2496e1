import { DomainError, fieldError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { touchSessions, touchUser, type IdentityDeps } from './deps.ts';
import { isConfirmed } from './confirmed.ts';
import type { FactorCodes } from './factor-codes.ts';
import { assertPassword, hasPassword } from './own-password.ts';
import type { FactorRow, UserRow } from './ports.ts';
import type { Throttle } from './throttle.ts';

/** An unfinished set-up expires after this many ms. */
const SETUP_LIFE = 15 * MINUTE;

interface FactorState {
  readonly enabled: boolean;
  /** Changes ask for a password; of who has none, for having just signed in. */
  readonly hasPassword: boolean;
  /** Recovery codes not yet used. */
  readonly recoveryLeft: number;
  /** What an authenticator app needs; null unless this session is setting a factor up. */
  readonly pending: { readonly secret: string; readonly uri: string } | null;
  /** The session was confirmed a moment ago. */
  readonly confirmed: boolean;
}
/** The outcome of a command whose refusal is committed as well, so that the try counts. */
export type CommandOutcome<T> = { readonly done: T } | { readonly refused: DomainError };

/** Locks the caller's user row and reads their factor. Throws UNAUTHENTICATED when the account is not active. */
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

/** Publishes after commit that the rights of every session of a user have to be read again. */
export async function touchAllSessions(tx: Tx, userId: string, nowMs: number): Promise<void> {
  const sessions = await tx.identity.listSessions(userId, nowMs);
  touchSessions(
    tx,
    sessions.map(({ id }) => id),
  );
  touchUser(tx, userId);
}

/** Setting the second factor up (behaviour 3.5; attacks T31). */
export function createFactorSetup(deps: IdentityDeps, throttle: Throttle, codes: FactorCodes) {
  const { uow, clock, ids, totp } = deps;

  /** The secret that the caller's session is setting up; null when there is none, it is another session's, or expired. */
  const pendingOf = (ctx: SignedIn, row: FactorRow | null) =>
    row?.pendingMs != null && row.pendingSession === ctx.actor.sessionId && clock.now() - row.pendingMs < SETUP_LIFE
      ? codes.open(row.userId, row.pending)
      : null;

  /** The state of the caller's second factor. */
  function getState(ctx: SignedIn): Promise<FactorState> {
    return uow.read(async (tx) => {
      const { userId, username } = ctx.actor;
      const row = await tx.factors.find(userId);
      const secret = pendingOf(ctx, row);
      const user = await tx.identity.findUser(userId);
      return {
        hasPassword: user !== null && hasPassword(user),
        enabled: row?.secret != null,
        recoveryLeft: await tx.factors.countUnusedCodes(userId),
        pending: secret === null ? null : { secret, uri: totp.uri(secret, deps.settings.current().app_name, username) },
        confirmed: await isConfirmed(deps, tx, ctx),
      };
    });
  }

  /**
   * Starts the set-up, or starts it again; a factor that is on stays as it is (attacks T31). Throws TWO_FACTOR_ON, and
   * as `assertPassword`.
   */
  async function begin(ctx: SignedIn, password: string | undefined): Promise<void> {
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

  /** Cancels an unfinished set-up; a factor that is on stays on. Returns whether the factor is on. */
  function cancel(ctx: SignedIn): Promise<boolean> {
    return uow.run(async (tx) => {
      const { row } = await lockFactor(tx, ctx);
      if (row.pending !== null) await tx.factors.save({ ...row, ...NOTHING_PENDING });
      return row.secret !== null;
    });
  }

  /**
   * Turns the factor on: the code proves that the app has the secret. The caller's session counts as passed, all others
   * still have to pass. Returns ten recovery codes, shown only now. Throws TWO_FACTOR_ON, TWO_FACTOR_SETUP_OVER,
   * VALIDATION_FAILED with CODE_WRONG at `code`, RATE_LIMITED.
   */
  async function confirm(ctx: SignedIn, code: string, device = ''): Promise<string[]> {
    const outcome = await uow.run(async (tx): Promise<CommandOutcome<string[]>> => {
      const { user, row } = await lockFactor(tx, ctx);
      if (row.secret !== null) return { refused: new DomainError('TWO_FACTOR_ON') };
      if (pendingOf(ctx, row) === null) return { refused: new DomainError('TWO_FACTOR_SETUP_OVER') };
      const checked = await codes.checkAppCode(tx, ctx, { ...row, secret: row.pending }, { code, device });
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
    const recoveryCodes = await codes.replaceCodes(tx, userId);
    await tx.factors.markPassed(ctx.actor.sessionId, now);
    await tx.factors.trustDevice(userId, ids.hash(device), now);
    await deps.events.emit(tx, 'user.two_factor_enabled', { userId }, ctx);
    await touchAllSessions(tx, userId, now);
    return recoveryCodes;
  }

  return { getState, begin, cancel, confirm };
}

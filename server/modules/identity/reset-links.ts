import { href } from '#shared/routes/href.ts';
import { normaliseName } from '#shared/names.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import type { Requester, MailBudget } from './mail-budget.ts';
import type { UserRow } from './ports.ts';

/** Kind of the job that sends the e-mail. */
const RESET_JOB = 'identity.reset';
/** How long a link is valid, in ms (behaviour 3.7). */
const RESET_LIFE = HOUR;

/** Links to set a new password (behaviour 3.7): anybody may request them, a job sends them, valid for an hour. */
export function createResetLinks(deps: IdentityDeps, budget: MailBudget) {
  const { uow, clock, ids } = deps;

  /**
   * Enqueues an e-mail for a username or an address. Only the job looks up whether there is such an account, so the
   * response and its timing are the same for all (attacks T36).
   */
  function enqueueLink(login: string, requester: Requester): Promise<void> {
    const uniqueKey = `reset:${ids.hash(normaliseName(login))}:${requester.network}`;
    return uow.run((tx) => enqueue(tx, ids, clock, { kind: RESET_JOB, payload: { login, ...requester }, uniqueKey }));
  }

  /**
   * Sends the e-mail if there is an active account. Each requester has a budget: their network, or a browser the user
   * has logged in from. When the budget is spent, a link is still sent if no valid one is left.
   */
  function sendLink(login: string, { network, device }: Requester): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const found = await tx.identity.findUserByLogin(login);
      const user = found && (await tx.identity.lockUser(found.id));
      if (!user || !canReset(user, now)) return;
      const budgetKey = (await tx.identity.isKnownDevice(user.id, device)) ? device : network;
      const withinBudget = await budget.take(tx, `reset:${user.id}`, budgetKey);
      if (!withinBudget && (await tx.identity.hasValidToken('reset', user.id, fingerprintOf(user), now))) return;
      const [latest] = await tx.identity.listTokenTimes('reset', user.id, now - MINUTE);
      if (latest !== undefined && (await tx.identity.hasValidToken('reset', user.id, fingerprintOf(user), now))) return;
      await sendLinkTo(tx, user);
    });
  }

  /** Sends a link to a user. */
  async function sendLinkTo(tx: Tx, user: UserRow): Promise<void> {
    const now = clock.now();
    const token = ids.token();
    await tx.identity.addToken({
      id: ids.uuid(),
      kind: 'reset',
      userId: user.id,
      tokenHash: ids.hash(token),
      boundTo: fingerprintOf(user),
      createdMs: now,
      expiresMs: now + RESET_LIFE,
    });
    await deps.mailing.sendTo(tx, user.id, 'passwordReset', { path: `${href('auth.reset')}?token=${token}` });
  }

  /** The fingerprint a link is bound to: a new password or another address invalidates it (attacks T36). */
  function fingerprintOf({ passwordVersion, email }: UserRow): string {
    return ids.hash(`${passwordVersion}\n${email}`);
  }

  /** The user of a valid link, or null. `lock` (write transactions only) keeps it valid until the commit. */
  async function findUserByLink(tx: Tx, tokenHash: string, lock: boolean): Promise<UserRow | null> {
    const now = clock.now();
    const stored = await tx.identity.findToken('reset', tokenHash, now);
    const user = stored?.userId
      ? await (lock ? tx.identity.lockUser(stored.userId) : tx.identity.findUser(stored.userId))
      : null;
    return user && canReset(user, now) && stored?.boundTo === fingerprintOf(user) ? user : null;
  }

  /** Whether a link is valid, without using it up. */
  function isLinkValid(token: string): Promise<boolean> {
    return uow.read(async (tx) => (await findUserByLink(tx, ids.hash(token), false)) !== null);
  }

  const job = {
    leaseMs: MINUTE,
    handle(payload: unknown): Promise<void> {
      const { login, network, device } = payload as { login?: unknown; network?: unknown; device?: unknown };
      if (typeof login !== 'string') return Promise.resolve();
      // A job enqueued by an older version does not name the requester.
      return sendLink(login, {
        network: typeof network === 'string' ? network : '',
        device: typeof device === 'string' ? device : '',
      });
    },
  };

  return { enqueueLink, sendLinkTo, findUserByLink, isLinkValid, jobs: { [RESET_JOB]: job } };
}

export type ResetLinks = ReturnType<typeof createResetLinks>;

/** Whether a user is neither deleted nor banned now. */
function canReset({ status, bannedUntilMs }: UserRow, now: number): boolean {
  return status === 'active' || (status === 'banned' && bannedUntilMs !== null && bannedUntilMs <= now);
}

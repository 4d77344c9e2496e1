import { href } from '#shared/routes/href.ts';
import { normaliseName } from '#shared/names.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import type { Asker, MailBudget } from './mail-budget.ts';
import type { UserRow } from './ports.ts';

/** Kind of the job that writes the e-mail. */
const RESET_JOB = 'identity.reset';
/** Life of a link (behaviour 3.7). */
const RESET_LIFE = HOUR;

/** Links that set a new password (behaviour 3.7): asked for by anybody, sent by a job, good for an hour. */
export function createResetLinks(deps: IdentityDeps, budget: MailBudget) {
  const { uow, clock, ids } = deps;

  /**
   * Orders an e-mail for a username or an address. Nothing is looked up here: whether there is such an account is known
   * to the job alone, so the answer and its time are the same for all (attacks T36).
   */
  function forgot(login: string, asker: Asker): Promise<void> {
    const uniqueKey = `reset:${ids.hash(normaliseName(login))}:${asker.network}`;
    return uow.run((tx) => enqueue(tx, ids, clock, { kind: RESET_JOB, payload: { login, ...asker }, uniqueKey }));
  }

  /**
   * Sends the e-mail, where the account is there and in use. Who asks has a budget of their own: the network, or the
   * browser the user has logged in from. Where the budgets are spent there is still one good link at any time: the last
   * that was sent, or else this one.
   */
  function sendLink(login: string, { network, device }: Asker): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      const found = await tx.identity.userByLogin(login);
      const user = found && (await tx.identity.lockUser(found.id));
      if (!user || !canReset(user, now)) return;
      const asker = (await tx.identity.knowsDevice(user.id, device)) ? device : network;
      const within = await budget.take(tx, `reset:${user.id}`, asker);
      if (!within && (await tx.identity.hasValidToken('reset', user.id, boundTo(user), now))) return;
      const [latest] = await tx.identity.tokenTimes('reset', user.id, now - MINUTE);
      if (latest !== undefined && (await tx.identity.hasValidToken('reset', user.id, boundTo(user), now))) return;
      const token = ids.token();
      await tx.identity.addToken({
        id: ids.uuid(),
        kind: 'reset',
        userId: user.id,
        tokenHash: ids.hash(token),
        boundTo: boundTo(user),
        createdMs: now,
        expiresMs: now + RESET_LIFE,
      });
      await deps.mailing.sendTo(tx, user.id, 'passwordReset', { path: `${href('auth.reset')}?token=${token}` });
    });
  }

  /** What a link stands on. With another password or another address it is worth nothing (attacks T36). */
  function boundTo({ passwordVersion, email }: UserRow): string {
    return ids.hash(`${passwordVersion}\n${email}`);
  }

  /** The user of a link that is good, or null. `lock` (not while only reading): so that it stays good. */
  async function userOf(tx: Tx, tokenHash: string, lock: boolean): Promise<UserRow | null> {
    const now = clock.now();
    const found = await tx.identity.findToken('reset', tokenHash, now);
    const user = found?.userId
      ? await (lock ? tx.identity.lockUser(found.userId) : tx.identity.user(found.userId))
      : null;
    return user && canReset(user, now) && found?.boundTo === boundTo(user) ? user : null;
  }

  /** Whether a link is good. Using it up is left to `reset`. */
  function isLinkValid(token: string): Promise<boolean> {
    return uow.read(async (tx) => (await userOf(tx, ids.hash(token), false)) !== null);
  }

  const job = {
    leaseMs: MINUTE,
    handle(payload: unknown): Promise<void> {
      const { login, network, device } = payload as { login?: unknown; network?: unknown; device?: unknown };
      if (typeof login !== 'string') return Promise.resolve();
      // Ordered before an upgrade: who asked is not known.
      return sendLink(login, {
        network: typeof network === 'string' ? network : '',
        device: typeof device === 'string' ? device : '',
      });
    },
  };

  return { forgot, userOf, isLinkValid, jobs: { [RESET_JOB]: job } };
}

/** Neither deleted nor, at this moment, banned. */
function canReset({ status, bannedUntilMs }: UserRow, now: number): boolean {
  return status === 'active' || (status === 'banned' && bannedUntilMs !== null && bannedUntilMs <= now);
}

import { DomainError, fieldError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { MINUTE } from '#shared/time.ts';
import type { Mailing } from '../mailing/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { PanelsDeps } from './deps.ts';
import { bindAccount, getReachablePanel, unwrapAnswer, verdictOf } from './accounts.ts';
import type { AccountUser } from './ports.ts';

/** Life of a code, how often it may be entered, and the shortest time between two (attacks T52). */
const LIFE_MS = 15 * MINUTE;
const TRIES = 5;
const RESEND_MS = MINUTE;
/** Without letters and digits that look alike: 32 of them, so that a byte picks one evenly; eight make 40 bits. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 8;

export interface ProveDeps extends PanelsDeps {
  readonly mailing: Pick<Mailing, 'sendTo' | 'isConfigured'>;
}

/** What is kept of a code: the same code of two users is kept differently. */
const hashOf = ({ ids }: PanelsDeps, panel: string, userId: string, code: string): string =>
  ids.hash(`panel-account:${panel}:${userId}:${code}`);
/** A code as it was typed, without spaces, dashes and case. */
const normalizeCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

/**
 * The caller and the panel at which a server of theirs failed for an account with their address. Throws NOT_FOUND,
 * SERVER_BUSY (nothing to prove).
 */
async function getDisputedAccount(
  deps: ProveDeps,
  ctx: SignedIn,
  serverId: string,
): Promise<{ panelId: string; user: AccountUser }> {
  const { server, user } = await deps.uow.read(async (tx) => ({
    server: await tx.servers.find(serverId),
    user: await tx.panels.findUser(ctx.actor.userId),
  }));
  if (!server || !user || server.userId !== user.id || server.state === 'deleted') throw new DomainError('NOT_FOUND');
  if (server.state !== 'failed' || server.failure !== 'accountTaken' || server.panel === null)
    throw new DomainError('CONFLICT');
  return { panelId: server.panel, user };
}

/**
 * Mails a code to the user's address, where an account of the panel has it that may become theirs. Throws NOT_FOUND,
 * CONFLICT (the server waits for nothing of this), RATE_LIMITED, ACCOUNT_NOT_YOURS (no such account, an
 * administrator's, another user's, or no mail can be sent), PANEL_*.
 */
export async function sendAccountCode(deps: ProveDeps, ctx: SignedIn, serverId: string): Promise<void> {
  const { panelId, user } = await getDisputedAccount(deps, ctx, serverId);
  const last = await deps.uow.read((tx) => tx.panels.findCode(panelId, user.id));
  const waitMs = last ? last.expiresMs - LIFE_MS + RESEND_MS - deps.clock.now() : 0;
  if (waitMs > 0) throw new DomainError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) });
  const { row, catalogue } = await getReachablePanel(deps, panelId);
  const account = unwrapAnswer(await catalogue.accountByEmail(user.email));
  if (!deps.mailing.isConfigured() || !account || !['match', 'unconfirmed'].includes(verdictOf(account, user)))
    throw new DomainError('ACCOUNT_NOT_YOURS');
  const code = [...Buffer.from(deps.ids.token(), 'base64url').subarray(0, LENGTH)]
    .map((byte) => LETTERS[byte % LETTERS.length])
    .join('');
  await deps.uow.run(async (tx) => {
    await tx.panels.saveCode({
      panelId,
      userId: user.id,
      account: account.id,
      email: user.email,
      codeHash: hashOf(deps, panelId, user.id, code),
      tries: 0,
      expiresMs: deps.clock.now() + LIFE_MS,
    });
    await deps.mailing.sendTo(tx, user.id, 'panelAccount', {
      code: `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`,
      panel: row.name,
      path: href('server.view', { id: serverId }),
    });
  });
}

/**
 * Takes a code that was mailed: the account is the user's from then on, with a new password that nobody knows, so that
 * whoever set the old one is out (attacks T28). A code works once; each try counts. Throws NOT_FOUND, CONFLICT,
 * VALIDATION_FAILED (CODE_WRONG), ACCOUNT_NOT_YOURS, PANEL_*.
 */
export async function proveAccount(deps: ProveDeps, ctx: SignedIn, serverId: string, typed: string): Promise<void> {
  const { panelId, user } = await getDisputedAccount(deps, ctx, serverId);
  const { catalogue } = await getReachablePanel(deps, panelId);
  // Counted by itself, so that a wrong one stays counted.
  const kept = await deps.uow.run((tx) => tx.panels.countCodeTry(panelId, user.id, TRIES));
  const codeHash = hashOf(deps, panelId, user.id, normalizeCode(typed));
  const good =
    kept !== null && kept.codeHash === codeHash && kept.expiresMs > deps.clock.now() && kept.email === user.email;
  if (!good || !(await deps.uow.run((tx) => tx.panels.deleteCode(panelId, user.id, codeHash))))
    throw fieldError('code', 'CODE_WRONG');
  const account = unwrapAnswer(await catalogue.accountByEmail(user.email));
  if (!account || account.id !== kept.account) throw new DomainError('ACCOUNT_NOT_YOURS');
  const failed = await bindAccount(deps, ctx, { id: panelId, catalogue }, user, account, deps.ids.token());
  if (failed)
    throw new DomainError(
      failed.outcome === 'refused' || failed.outcome === 'not_found' ? 'ACCOUNT_NOT_YOURS' : 'PANEL_UNAVAILABLE',
    );
}

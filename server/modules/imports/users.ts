import type { Resources } from '#shared/constants.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { Tx } from '../tx.ts';
import { originReference, type ImportsDeps } from './deps.ts';
import type { ImportOrigin } from './ports.ts';

/** A user as they come along, every question settled. */
interface ComingUser {
  readonly sourceId: string;
  /** Whose account it goes to: somebody who is here already; null: it is made. */
  readonly mergeInto: string | null;
  readonly username: string;
  readonly email: string;
  /** Bcrypt or argon2id; '': they have no password here yet. */
  readonly hash: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdMs: number;
  readonly verified: boolean;
  readonly roleId: string;
  readonly locale: Locale;
  readonly limits: Resources;
  readonly discord: string | null;
  readonly credits: number;
}

/**
 * Brings a user along in the caller's transaction, once: account, limits, Discord and the opening posting. Nobody is
 * notified, paid or greeted. Out: what could not be done of it. Throws VALIDATION_FAILED where name or address were
 * taken meanwhile, WALLET_FULL.
 */
export async function addUser(
  deps: ImportsDeps,
  tx: Tx,
  { runId, origin }: { readonly runId: string; readonly origin: ImportOrigin },
  user: ComingUser,
): Promise<{ readonly discordTaken: boolean }> {
  const id = user.mergeInto ?? deps.ids.uuid();
  if (user.mergeInto === null) {
    await tx.identity.addUser({
      id,
      username: user.username,
      email: user.email,
      passwordHash: user.hash,
      firstName: user.firstName,
      lastName: user.lastName,
      roleId: user.roleId,
      locale: user.locale,
      verifiedMs: user.verified ? user.createdMs : null,
      createdMs: user.createdMs,
    });
    await tx.limits.create(id, user.limits);
  }
  if (user.credits > 0)
    await postOpening(deps, tx, `${originReference(origin)}balance:${user.sourceId}`, id, user.credits, runId);
  const discordTaken =
    user.mergeInto === null && user.discord !== null && !(await linkDiscord(deps, tx, id, user.discord));
  await tx.imports.addRow(origin, {
    kind: 'user',
    sourceId: user.sourceId,
    runId,
    targetId: id,
    made: user.mergeInto === null,
    credits: user.credits,
    undo: '',
  });
  return { discordTaken };
}

/**
 * Posts what somebody brings, once: the second time only where the first was taken back, under a reference of the run's
 * own. Throws DUPLICATE_REFERENCE, WALLET_FULL.
 */
async function postOpening(
  { ledger }: ImportsDeps,
  tx: Tx,
  reference: string,
  userId: string,
  credits: number,
  runId: string,
): Promise<void> {
  const postings = [{ source: 'system:import', destination: `user:${userId}`, amount: toCredits(credits) }] as const;
  try {
    await ledger.transfer(tx, { kind: 'import', reference, postings });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'DUPLICATE_REFERENCE') throw error;
    const before = await tx.ledger.byReference(reference);
    if (!before || (await tx.ledger.reversalOf(before.id)) === null) throw error;
    await ledger.transfer(tx, { kind: 'import', reference: `${reference}:${runId}`, postings });
  }
}

/** Links Discord as the source has it, without tokens: whoever owns it signs in by it. False where another has it. */
async function linkDiscord(deps: ImportsDeps, tx: Tx, userId: string, subject: string): Promise<boolean> {
  if (await tx.identities.findBySubject('discord', subject)) return false;
  const linkedMs = deps.clock.now();
  const facts = { id: deps.ids.uuid(), userId, provider: 'discord', subject, name: '', scopes: [], linkedMs } as const;
  await tx.identities.add({ ...facts, tokens: null }, deps.traceOf(`discord:${subject}`));
  return true;
}

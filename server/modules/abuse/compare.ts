import { SHARED_KINDS, type SharedKind } from '#shared/abuse.ts';
import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { SharedSignal, SignalKind } from './ports.ts';
import type { Score } from './score.ts';

/** Accounts named beside a user's score. */
const OTHERS_MAX = 10;
/** Kinds that few share by chance, and those that a household or a school shares. */
const TELLING: readonly SignalKind[] = ['identity', 'payment', 'device'];
const COMMON: readonly SignalKind[] = ['address', 'network'];

/** Another account that has something in common with a user. */
export interface OtherAccount {
  readonly id: string;
  readonly username: string;
  /** What both have, the most telling first. */
  readonly kinds: readonly SharedKind[];
  /** From when on both had the first of it (UTC ms). */
  readonly sinceMs: number;
}
/** One of two accounts that are compared. */
interface ComparedAccount {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly status: 'active' | 'banned' | 'deleted';
  readonly role: string;
  readonly createdMs: number;
  readonly seenMs: number | null;
  readonly score: Score;
}
/** Two accounts, and what they have in common: of each kind how many signals, and from when to when both had one. */
interface Comparison {
  readonly accounts: readonly [ComparedAccount, ComparedAccount];
  readonly shared: readonly {
    readonly kind: SharedKind;
    readonly count: number;
    readonly sinceMs: number;
    readonly lastMs: number;
  }[];
}

/** The accounts that have most in common with a user, at most ten; whoever shares more than an address comes first. */
export async function listOthers(tx: Tx, userId: string): Promise<OtherAccount[]> {
  const signals = [...(await tx.abuse.listShared(userId, TELLING)), ...(await tx.abuse.listShared(userId, COMMON))];
  const found = [...Map.groupBy(signals, (signal) => signal.userId)]
    .map(([id, shared]) => ({ id, shared: sumUp(shared) }))
    .toSorted((a, b) => weightOf(b.shared) - weightOf(a.shared) || a.id.localeCompare(b.id))
    .slice(0, OTHERS_MAX);
  const names = await tx.people.names(found.map(({ id }) => id));
  return found.flatMap(({ id, shared }) => {
    const username = names.get(id);
    const sinceMs = Math.min(...shared.map((each) => each.sinceMs));
    return username === undefined ? [] : [{ id, username, kinds: shared.map(({ kind }) => kind), sinceMs }];
  });
}

/** A kind outweighs all that are less telling together. */
const weightOf = (shared: Comparison['shared']): number =>
  shared.reduce((sum, { kind }) => sum + 2 ** (SHARED_KINDS.length - SHARED_KINDS.indexOf(kind)), 0);

/** Signals by kind; addresses and networks are one. */
function sumUp(signals: readonly SharedSignal[]): Comparison['shared'] {
  const kinds = Map.groupBy(signals, ({ kind }) => (COMMON.includes(kind) ? 'address' : kind));
  return SHARED_KINDS.flatMap((kind) => {
    const found = kinds.get(kind) ?? [];
    if (found.length === 0) return [];
    const sinceMs = Math.min(...found.map((each) => each.sinceMs));
    const lastMs = Math.max(...found.map((each) => each.lastMs));
    return [{ kind, count: found.length, sinceMs, lastMs }];
  });
}

/** Compares accounts for staff. In: how the score of a user is computed anew. */
export function createCompare(uow: UnitOfWork, scoreOf: (tx: Tx, userId: string) => Promise<Score>) {
  async function accountOf(tx: Tx, userId: string): Promise<ComparedAccount> {
    const user = await tx.identity.findUser(userId);
    if (!user) throw new DomainError('NOT_FOUND');
    const { id, username, email, status, createdMs } = user;
    const role = (await tx.access.role(user.roleId))?.name ?? '';
    return {
      id,
      username,
      email,
      status,
      role,
      createdMs,
      seenMs: await tx.people.seen(id),
      score: await scoreOf(tx, id),
    };
  }

  /**
   * Two accounts side by side: what they are, what speaks against each, and what both have. Throws FORBIDDEN, NOT_FOUND
   * for an account that is not there, and for one compared with itself.
   */
  return function compare(ctx: SignedIn, userId: string, otherId: string): Promise<Comparison> {
    assertMay(ctx, 'admin.users.edit');
    return uow.run(async (tx) => {
      if (userId === otherId) throw new DomainError('NOT_FOUND');
      const accounts = [await accountOf(tx, userId), await accountOf(tx, otherId)] as const;
      return { accounts, shared: sumUp(await tx.abuse.listSharedWith(userId, otherId)) };
    });
  };
}

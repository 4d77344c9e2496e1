import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import type { Events } from '../events/index.ts';
import { mayView, type UserRow } from '../identity/index.ts';
import type { Clock, FindPlaceTrace, Ids, SignedIn } from '../kernel.ts';
import type { Ledger, SpentOn } from '../ledger/index.ts';
import type { Meters } from '../limits/index.ts';
import type { Purchase } from '../store/index.ts';
import { outranks } from '../permit.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import { createAdjustments, existing } from './adjust.ts';
import { createUserList } from './list.ts';
import type { SupportPin } from './ports.ts';

/** Purchases shown on a user's page, newest first. */
const PURCHASES = 50;
/** Span of what was earned and spent lately on a user's page, in ms. */
const LATELY = 30 * DAY;

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance' | 'held' | 'returnCredits'>;
  readonly settings: { current(): SettingValues };
  readonly limits: { meters(tx: Tx, userId: string): Promise<Meters> };
  readonly events: Pick<Events, 'emit'>;
  readonly findPlaceTrace: FindPlaceTrace;
}
/** A user as the staff's page of them shows. */
export interface UserDetails {
  /** The support PIN while it is good. */
  readonly pin: SupportPin | null;
  /** Who invited them; null where nobody did, or the account is gone. */
  readonly referrer: { readonly id: string; readonly username: string } | null;
  /** Credits earned within the last thirty days, by kind of transaction, the most first. */
  readonly earned: readonly { readonly kind: string; readonly credits: number }[];
  /** Credits spent within the last thirty days, by what on, the most first. */
  readonly spent: readonly { readonly on: SpentOn; readonly credits: number }[];
  /** Money they paid, by currency; null where the caller may not list payments. */
  readonly paid: readonly { readonly currency: string; readonly minor: number; readonly orders: number }[] | null;
  readonly user: Omit<UserRow, 'passwordHash' | 'passwordVersion'>;
  readonly role: { readonly name: string; readonly color: string };
  readonly seenMs: number | null;
  /** Username of who banned them; null for the command line, for a deleted account, and while not banned. */
  readonly bannedBy: string | null;
  /** The caller may ban them and end their sessions: they are of a lower rank, and not the caller. */
  readonly isManageable: boolean;
  /** The caller may view as them. */
  readonly isViewable: boolean;
  /** Every role, by rank. */
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  readonly limits: Meters;
  readonly balance: number;
  readonly held: number;
  readonly debt: number;
  readonly purchases: readonly Purchase[];
}
/** A user as who looked for them gets. */
interface FoundUser {
  readonly user: Omit<UserRow, 'passwordHash' | 'passwordVersion'>;
  /** The name of their role. */
  readonly role: string;
  readonly balance: number;
  readonly held: number;
  readonly debt: number;
  /** The Discord account they linked. */
  readonly discordId: string | null;
}
export type People = ReturnType<typeof createPeople>;

/** Users as staff see them (behaviour 8.3), as far as the economy goes: list, facts, credits, purchases. */
export function createPeople(deps: Deps) {
  const { uow, clock, ledger, limits } = deps;

  /** Everything about one user, for a caller. Throws NOT_FOUND. */
  function view(ctx: SignedIn, userId: string): Promise<UserDetails> {
    return uow.read(async (tx) => {
      const { passwordHash: _, passwordVersion: __, ...user } = await existing(tx, userId);
      const role = await tx.access.role(user.roleId);
      const staff = await tx.identity.findUser(ctx.actor.userId);
      return {
        user,
        role: { name: role?.name ?? '', color: role?.color ?? '#888888' },
        roles: await tx.people.roles(),
        pin: await tx.people.findPin(userId, clock.now()),
        referrer: await findReferrer(tx, userId),
        earned: await tx.ledger.earnedByKind(`user:${userId}`, clock.now() - LATELY),
        spent: await tx.ledger.spentSince(userId, clock.now() - LATELY),
        paid: can(ctx.actor.permissions, 'admin.payments.list') ? await tx.payments.paidBy(userId) : null,
        seenMs: await tx.people.seen(userId),
        bannedBy: user.bannedBy === null ? null : ((await tx.people.names([user.bannedBy])).get(user.bannedBy) ?? null),
        isManageable:
          userId !== ctx.actor.userId && user.status !== 'deleted' && (await outranks(tx, ctx, user.roleId)),
        isViewable: staff !== null && (await mayView(tx, staff, user)),
        limits: await limits.meters(tx, userId),
        balance: await ledger.balance(tx, `user:${userId}`),
        held: await ledger.held(tx, userId),
        debt: await ledger.balance(tx, `debt:${userId}`),
        purchases: await tx.store.purchasesOf(userId, PURCHASES),
      };
    });
  }

  /**
   * A user by their whole name or address, or by the Discord account that they linked. Throws NOT_FOUND, also for a
   * deleted one.
   */
  function find(by: { readonly login: string } | { readonly discordId: string }): Promise<FoundUser> {
    return uow.read(async (tx) => {
      const user =
        'login' in by
          ? await tx.identity.findUserByLogin(by.login)
          : await tx.identity.findUser((await tx.identities.findBySubject('discord', by.discordId))?.userId ?? '');
      if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
      const { passwordHash: _, passwordVersion: __, ...known } = user;
      return {
        user: known,
        role: (await tx.access.role(user.roleId))?.name ?? '',
        balance: await ledger.balance(tx, `user:${user.id}`),
        held: await ledger.held(tx, user.id),
        debt: await ledger.balance(tx, `debt:${user.id}`),
        discordId:
          (await tx.identities.listByUser(user.id)).find(({ provider }) => provider === 'discord')?.subject ?? null,
      };
    });
  }

  /** Throws NOT_FOUND for an id that is nobody's. */
  async function assertExists(userId: string): Promise<void> {
    await uow.read((tx) => existing(tx, userId));
  }

  return { ...createUserList(deps), view, find, assertExists, ...createAdjustments(deps) };
}

async function findReferrer(tx: Tx, userId: string): Promise<UserDetails['referrer']> {
  const referral = await tx.referrals.of(userId);
  const username = referral && (await tx.people.names([referral.referrerId])).get(referral.referrerId);
  return referral && username !== null && username !== undefined ? { id: referral.referrerId, username } : null;
}

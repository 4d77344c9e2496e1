import { toCredits } from '#shared/credits.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { giftPrice } from '#shared/gift.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, dayIn } from '#shared/time.ts';
import type { Events } from '../events/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Posting } from '../ledger/ports.ts';
import { badgeOf, type Badge, type Profiles } from '../profiles/index.ts';
import type { ProfileRow } from '../profiles/ports.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance'>;
  readonly events: Pick<Events, 'emit'>;
  readonly profiles: Pick<Profiles, 'findVisible'>;
  readonly settings: { current(): SettingValues };
}
interface NewGift {
  readonly recipientId: string;
  /** Credits that the receiver gets. */
  readonly amount: number;
  /** Amount and fee together as the sender saw them. */
  readonly total: number;
  /** Plain text, at most `GIFT_NOTE_MAX` characters; '' for none. */
  readonly note: string;
}
interface SentGift {
  readonly amount: number;
  readonly fee: number;
  readonly total: number;
  /** The sender's balance now. */
  readonly balance: number;
  readonly username: string;
}
interface GiftForm {
  readonly recipient: { readonly id: string; readonly username: string; readonly badge: Badge | null };
  readonly balance: number;
  readonly min: number;
  readonly max: number;
  readonly feePercent: number;
  /** What may still be sent today; null: no cap. */
  readonly leftToday: number | null;
  /** When the account is old enough, UTC ms. */
  readonly opensMs: number;
  readonly open: boolean;
}
export type Gifts = ReturnType<typeof createGifts>;

/** Gifts from user to user (behaviour 5.4). */
export function createGifts(deps: Deps) {
  const { uow, clock, ledger, settings } = deps;

  /** What the form needs to know. Throws GIFT_TO_SELF and RECIPIENT_UNAVAILABLE. */
  function form(ctx: SignedIn, recipientId: string): Promise<GiftForm> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const recipient = await findRecipient(deps, tx, userId, recipientId);
      const { gift_min: min, gift_max: max, gift_fee_percent: feePercent, gift_daily_cap: cap } = settings.current();
      const sent = await tx.gifts.moved(userId, 'sent', today(deps));
      const opensMs = await opening(deps, tx, userId);
      return {
        recipient: { id: recipient.id, username: recipient.username, badge: badgeOf(recipient) },
        balance: await ledger.balance(tx, `user:${userId}`),
        min,
        max,
        feePercent,
        opensMs,
        leftToday: cap === 0 ? null : Math.max(0, cap - sent),
        open: clock.now() > opensMs,
      };
    });
  }

  /**
   * Sends a gift, once an Idempotency-Key: the sender's line, the receiver's and the fee are one transaction of the
   * ledger, and both are notified. Throws GIFT_TO_SELF, RECIPIENT_UNAVAILABLE (unknown, hidden, banned and deleted
   * alike), SENDER_TOO_YOUNG, VALIDATION_FAILED at `amount`, PRICE_CHANGED, GIFT_CAP_REACHED, RECIPIENT_CAP_REACHED,
   * INSUFFICIENT_CREDITS, SPENDING_BLOCKED.
   */
  function send(ctx: SignedIn, gift: NewGift): Promise<SentGift> {
    return runOnce({ uow, now: clock.now() }, ctx, (tx) => transferGift(deps, tx, ctx, gift));
  }

  return { form, send };
}

const today = ({ clock, settings }: Deps): string => dayIn(clock.now(), settings.current().app_timezone);

/** The one who gets it. Hidden people are as good as unknown, on this path too. */
async function findRecipient({ profiles }: Deps, tx: Tx, senderId: string, recipientId: string): Promise<ProfileRow> {
  if (recipientId === senderId) throw new DomainError('GIFT_TO_SELF');
  const recipient = await profiles.findVisible(tx, senderId, recipientId);
  if (!recipient?.active) throw new DomainError('RECIPIENT_UNAVAILABLE');
  return recipient;
}

/**
 * When the sender's account has its age. Throws UNAUTHENTICATED for one that was banned or deleted while the request
 * was on its way.
 */
async function opening({ settings }: Deps, tx: Tx, userId: string): Promise<number> {
  const user = await tx.identity.findUser(userId);
  if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
  return user.createdMs + settings.current().gift_min_account_days * DAY;
}

async function transferGift(deps: Deps, tx: Tx, ctx: SignedIn, gift: NewGift): Promise<SentGift> {
  const { clock, ids, ledger, settings } = deps;
  const { userId } = ctx.actor;
  const { gift_min: min, gift_max: max, gift_fee_percent: percent } = settings.current();
  const recipient = await findRecipient(deps, tx, userId, gift.recipientId);
  if (clock.now() <= (await opening(deps, tx, userId))) throw new DomainError('SENDER_TOO_YOUNG');
  if (!Number.isSafeInteger(gift.amount) || gift.amount < min) throw fieldError('amount', 'TOO_SMALL');
  if (gift.amount > max) throw fieldError('amount', 'TOO_LARGE');
  const price = giftPrice(gift.amount, percent);
  if (price.total !== gift.total) throw new DomainError('PRICE_CHANGED');
  await withinCaps(deps, tx, userId, gift);
  const id = ids.uuid();
  const wallet = `user:${userId}` as const;
  const postings: Posting[] = [
    { source: wallet, destination: `user:${recipient.id}`, amount: toCredits(price.amount) },
  ];
  if (price.fee > 0) postings.push({ source: wallet, destination: 'system:gift.fee', amount: toCredits(price.fee) });
  const subject = `${ctx.actor.username} → ${recipient.username}`;
  const paid = await ledger
    .transfer(tx, { kind: 'gift', reference: `gift:${id}`, subject, actor: userId, postings })
    .catch(toRecipientError);
  await tx.gifts.add({
    id,
    senderId: userId,
    recipientId: recipient.id,
    amount: price.amount,
    fee: price.fee,
    note: gift.note,
    txId: paid.id,
    createdMs: clock.now(),
  });
  await deps.events.emit(
    tx,
    'gift.sent',
    {
      senderId: ctx.actor.userId,
      senderName: ctx.actor.username,
      recipientId: recipient.id,
      recipientName: recipient.username,
      amount: price.amount,
      note: gift.note,
    },
    ctx,
  );
  return { ...price, balance: paid.balances.get(wallet) ?? 0, username: recipient.username };
}

/** A wallet that holds all it may: of the two only the receiver's grows. */
function toRecipientError(error: unknown): never {
  throw error instanceof DomainError && error.code === 'WALLET_FULL' ? new DomainError('RECIPIENT_CAP_REACHED') : error;
}

/**
 * Counts the gift against what one may send, and get, in a day (0: no cap, and nothing is counted: a cap counts from
 * when it is set). Always in one order, so two gifts that cross do not wait for each other.
 */
async function withinCaps(
  { clock, settings }: Deps,
  tx: Tx,
  senderId: string,
  { recipientId, amount }: NewGift,
): Promise<void> {
  const { gift_daily_cap: sent, gift_daily_received_cap: received, app_timezone: zone } = settings.current();
  const day = dayIn(clock.now(), zone);
  const sides = [
    { userId: senderId, side: 'sent', max: sent, refusal: 'GIFT_CAP_REACHED' },
    { userId: recipientId, side: 'received', max: received, refusal: 'RECIPIENT_CAP_REACHED' },
  ] as const;
  for (const { userId, side, max, refusal } of sides
    .filter(({ max: cap }) => cap > 0)
    .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))) {
    const counted = await tx.gifts.addWithin(userId, side, day, amount, max);
    if (!counted) throw new DomainError(refusal);
  }
}

import type { Services } from '#server/compose/services.ts';
import type { LinkedIdentity } from '#server/modules/identities/index.ts';
import {
  createPayments,
  type Gateway,
  type Order,
  type Paid,
  type SignedEvent,
} from '#server/modules/payments/index.ts';
import { createJ4r } from '#server/modules/rewards/j4r/index.ts';
import { createLinks } from '#server/modules/rewards/links/index.ts';
import { testSealer } from '#tests/support/sealing.ts';

/** Made long before any story begins, as far as Discord's ids tell. */
const snowflake = (index: number) => String(100_000_000_000_000_000n + BigInt(index));
const APP_URL = 'https://play.example.test';
export const CURRENCY = 'EUR';

/** A payment of an order as the bank tells of it. */
export function paymentOf({ id, userId, amount }: Pick<Order, 'id' | 'userId' | 'amount'>): Paid {
  return {
    orderId: id,
    userId,
    ref: `ref-${id}`,
    paymentRef: `pay-${id}`,
    amount,
    currency: CURRENCY,
    account: null,
    live: true,
  };
}

/** What goes on outside the product: it stays as it is when the process ends. */
export function outsideWorld() {
  /** Orders that were paid, and how much of each was given back. */
  const paid = new Set<string>();
  const refunded = new Map<string, number>();
  const givenBack = new Set<string>();
  /** When a person joined a Discord server: `<subject> <guild>`. */
  const members = new Map<string, number>();
  /** Tokens of return addresses, by claim. */
  const tokens = new Map<string, string>();
  return { paid, refunded, members, tokens, bank: bankOf({ paid, refunded, givenBack }), snowflake };
}
export type Outside = ReturnType<typeof outsideWorld>;

/** A gateway that always answers at once. A notice's body is the signed event itself. */
function bankOf({
  paid,
  refunded,
  givenBack,
}: {
  paid: ReadonlySet<string>;
  refunded: Map<string, number>;
  givenBack: Set<string>;
}): Gateway {
  return {
    provider: 'stripe',
    ready: () => true,
    accepts: () => true,
    isOwnPayment: () => true,
    open: async ({ order }) => ({
      kind: 'opened',
      ref: `ref-${order.id}`,
      url: `https://bank.example/${order.id}`,
      expiresMs: null,
    }),
    verify: async ({ body }) => ({ kind: 'signed', event: JSON.parse(new TextDecoder().decode(body)) as SignedEvent }),
    readStatus: async (order) =>
      paid.has(order.id)
        ? { kind: 'paid', paid: paymentOf(order), refunded: refunded.get(order.id) ?? 0 }
        : { kind: 'open' },
    orderOf: async (paymentRef) => paymentRef.replace('pay-', ''),
    capture: async () => true,
    close: async () => undefined,
    async refund(order, refund) {
      if (!givenBack.has(refund.id)) refunded.set(order.id, (refunded.get(order.id) ?? 0) + refund.amount);
      givenBack.add(refund.id);
      return { kind: 'done', ref: refund.id };
    },
  };
}

/** The services that ask somebody outside, with somebody who answers. */
export function askingServices(
  services: Services,
  { bank, members, tokens }: Outside,
  indexOf: (userId: string) => number,
) {
  const identityOf = (userId: string): LinkedIdentity => {
    const subject = snowflake(indexOf(userId));
    return {
      id: subject,
      provider: 'discord',
      subject,
      trace: subject,
      name: 'somebody',
      scopes: ['identify', 'guilds', 'guilds.members.read'],
      broken: false,
      linkedMs: 0,
      accountCreatedMs: null,
    };
  };
  const discord: Parameters<typeof createJ4r>[0]['discord'] = {
    configured: () => true,
    consentUrl: () => '',
    exchange: async () => ({ kind: 'unknown', retryAfterS: null }),
    refresh: async () => ({ kind: 'unknown', retryAfterS: null }),
    revoke: async () => undefined,
    getUser: async () => ({ kind: 'unknown', retryAfterS: null }),
    invite: async () => ({ kind: 'unknown', retryAfterS: null }),
    guilds: async (access) => ({
      kind: 'yes',
      value: new Set(
        [...members.keys()].filter((key) => key.startsWith(`${access} `)).map((key) => key.slice(access.length + 1)),
      ),
    }),
    async member(access, guildId) {
      const joinedMs = members.get(`${access} ${guildId}`);
      return joinedMs === undefined
        ? { kind: 'no', reason: 'absent' }
        : { kind: 'yes', value: { joinedMs, rejoined: false, pending: false } };
    },
  };
  const identities: Parameters<typeof createJ4r>[0]['identities'] = {
    listByUser: async (_tx, userId) => [identityOf(userId)],
    // The access token is the person's id: they never lose it.
    async withAccess(identityId, question) {
      const outcome = await question(identityId);
      if (outcome.kind !== 'no') return outcome;
      const { reason } = outcome;
      if (reason === 'unauthorized') throw new Error('nobody refuses a token here');
      return { kind: 'no', reason: reason as Exclude<typeof reason, 'unauthorized'> };
    },
  };
  return {
    payments: createPayments({ ...services, gateways: [bank], appUrl: () => APP_URL }),
    j4r: createJ4r({ ...services, identities, discord }),
    links: createLinks({
      ...services,
      sealer: testSealer,
      appUrl: () => APP_URL,
      providers: {
        of: () => ({
          ready: true,
          proves: false,
          name: 'Sponsor',
          isProof: () => false,
          async createLink({ claimId, target }) {
            tokens.set(claimId, new URL(target).searchParams.get('claim') ?? '');
            return { url: 'https://sponsor.example/', answer: '' };
          },
          check: async () => ({ result: 'unknown', answer: '' }),
        }),
      },
    }),
  };
}

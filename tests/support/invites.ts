import { createLinkProviders } from '#server/link-providers/index.ts';
import type { PayloadOf } from '#server/modules/events/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createLinks } from '#server/modules/rewards/links/index.ts';
import { createPayout, type ReviewPolicy } from '#server/modules/rewards/payout/index.ts';
import { createEarlySupporters } from '#server/modules/rewards/early-supporters/index.ts';
import { createReferrals } from '#server/modules/rewards/referrals/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { coinWorld } from './coins.ts';
import type { Engine } from './db.ts';
import { testNotifications } from './events.ts';
import { createLinkServices, LINK_KEYS } from './link-services.ts';
import { testLog } from './log.ts';
import { testSealer } from './sealing.ts';

export const APP = 'https://panel.example.com';
export type InviteWorld = Awaited<ReturnType<typeof inviteWorld>>;

interface Options {
  readonly over?: (uow: UnitOfWork) => UnitOfWork;
  readonly reviewPolicy?: ReviewPolicy;
}

/**
 * Referrals and links over a fresh database, the stand-ins of the link providers, and people who come from places of
 * their own.
 */
export async function inviteWorld(engine: Engine = 'sqlite', { over = (uow) => uow, reviewPolicy }: Options = {}) {
  const world = await coinWorld(engine);
  const { clock, ids, settings, ledger, counters, db } = world;
  const uow = over(world.uow);
  const log = testLog();
  const notifications = testNotifications({ uow, clock, ids, settings });
  const payout = createPayout({ ledger, counters, ...(reviewPolicy ? { reviewPolicy } : {}) });
  const shared = new Map<string, readonly string[]>();
  const verification = { on: false };
  const referrals = createReferrals({
    uow,
    clock,
    ids,
    log,
    settings,
    payout,
    events: world.events,
    asksVerification: () => verification.on,
    sharedIdentities: async (_tx, userId) => shared.get(userId) ?? [],
  });
  const supporters = createEarlySupporters({
    uow,
    clock,
    log,
    settings,
    payout,
    events: world.events,
    asksVerification: () => verification.on,
  });
  const services = createLinkServices(clock.now);
  const providers = createLinkProviders({ settings, fetch: services.fetch, userAgent: () => 'Spawnpoint/test' });
  const links = createLinks({
    uow,
    clock,
    ids,
    log,
    sealer: testSealer,
    settings,
    counters,
    payout,
    providers,
    appUrl: () => APP,
  });

  world.events.subscribe([...referrals.subscriptions, ...supporters.subscriptions, ...links.subscriptions]);
  let places = 0;
  /** Somebody at an address of their own. */
  async function someone(ageMs = 30 * DAY): Promise<SignedIn> {
    const ctx = await world.person(0, ageMs);
    const address = `198.51.${Math.floor((places += 1) / 200)}.${places % 200}`;
    await db.sql('UPDATE sessions SET address = ? WHERE id = ?', [address, ctx.actor.sessionId]);
    return { ...ctx, address };
  }
  /** Somebody who registers now with a code. */
  async function newcomer(code: string): Promise<SignedIn> {
    const ctx = await someone(0);
    await uow.run((tx) =>
      referrals.addReferral(tx, { userId: ctx.actor.userId, referral: code, address: ctx.address }),
    );
    return ctx;
  }
  const codeOf = async (ctx: SignedIn) => (await referrals.makeCode(ctx)).code;
  /** AFK minutes that were paid some time. */
  const afkMinutes = (ctx: SignedIn, minutes: number) =>
    db.sql(
      `INSERT INTO afk_sessions (id, user_id, session_id, device, started_ms, last_beat_ms, counted_ms, minutes, earned, ended_ms, end_reason)
       VALUES (?, ?, ?, '', ?, ?, 0, ?, ?, ?, 'stopped')`,
      [ids.uuid(), ctx.actor.userId, ctx.actor.sessionId, clock.now(), clock.now(), minutes, minutes, clock.now()],
    );
  /** The referral that somebody came by. */
  async function referralOf({ actor }: SignedIn) {
    const row = await uow.read((tx) => tx.referrals.of(actor.userId));
    if (!row) throw new Error('nobody brought them');
    return row;
  }
  return {
    ...world,
    log,
    referrals,
    supporters,
    links,
    services,
    notifications,
    shared,
    verification,
    someone,
    newcomer,
    codeOf,
    afkMinutes,
    referralOf,
    /** How the referral that somebody came by stands: state, reason, and what became of each reward. */
    async standing(ctx: SignedIn) {
      const { state, reason, newcomer: own, referrer } = await referralOf(ctx);
      return [state, reason, own.state, referrer.state];
    },
    /** Ann, and Bob who came by her and has settled in but for the time that has to pass. */
    async pair() {
      const ann = await someone();
      const bob = await newcomer(await codeOf(ann));
      await afkMinutes(bob, 30);
      return { ann, bob };
    },
    /** Lets time pass (a day and an hour by default), then checks referrals until none is due. */
    async checkReferralsAfter(ms = DAY + HOUR): Promise<void> {
      clock.advance(ms);
      while ((await referrals.checkDue()) > 0);
    },
    /** All providers set up as a host would; addresses lead to the stand-ins. */
    setUpLinks: () =>
      settings.set(null, {
        link_linkvertise_enabled: true,
        link_linkvertise_user: '123456',
        link_linkvertise_key: LINK_KEYS.linkvertise,
        link_linkvertise_host: 'https://standin.example/linkvertise',
        link_linkvertise_api: 'https://standin.example/linkvertise',
        link_shareus_enabled: true,
        link_shareus_key: LINK_KEYS.shareus,
        link_shareus_api: 'https://standin.example/shareus',
        link_linkpays_enabled: true,
        link_linkpays_key: LINK_KEYS.linkpays,
        link_linkpays_api: 'https://standin.example/linkpays',
        link_gyanilinks_enabled: true,
        link_gyanilinks_key: LINK_KEYS.gyanilinks,
        link_gyanilinks_api: 'https://standin.example/gyanilinks',
        link_generic_enabled: true,
        link_generic_name: 'Sponsor',
        link_generic_start: 'https://standin.example/generic/go?to={url}',
        link_generic_key: LINK_KEYS.generic,
      }),
    /** The token of the newest claim, as the visitor's return address carries it. */
    tokenIn: (url: string): string => {
      const encoded = new URL(url).searchParams.get('r');
      const target =
        encoded === null
          ? (services.targetOf(url) ?? new URL(url).searchParams.get('to'))
          : Buffer.from(encoded, 'base64').toString();
      return new URL(target ?? '').searchParams.get('claim') ?? '';
    },
    kinds: async (ctx: SignedIn) => (await notifications.list(ctx.actor.userId)).rows.map((row) => row.kind),
  };
}

/** What is said when a reward on hold is decided. */
export function rewardDecided({ actor }: SignedIn, reference: string): PayloadOf<'reward.released'> {
  const { userId, username } = actor;
  return { userId, username, heldRewardId: `held ${reference}`, reference, source: 'link', amount: 10, score: 0 };
}

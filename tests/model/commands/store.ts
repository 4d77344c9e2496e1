import { DAY, iso } from '#shared/time.ts';
import { anybody, command, stepOf, userOf } from '../command.ts';
import { TERMS } from '../plain.ts';
import { caller } from './caller.ts';

/** What the seeded store sells (behaviour 5.1), said once more. */
const ITEMS = [
  { kind: 'memory', quantity: 1024, price: 150, limit: 16_384 },
  { kind: 'disk', quantity: 1024, price: 200, limit: 102_400 },
  { kind: 'cpu', quantity: 100, price: 300, limit: 800 },
  { kind: 'slots', quantity: 1, price: 500, limit: 10 },
  { kind: 'ports', quantity: 1, price: 100, limit: 20 },
  { kind: 'databases', quantity: 1, price: 200, limit: 10 },
  { kind: 'backups', quantity: 1, price: 150, limit: 10 },
] as const;

const buy = command({
  name: 'buy',
  weight: 3,
  together: true,
  draw(plain, random) {
    const item = random.int(ITEMS.length);
    const shown = ITEMS[item]?.price ?? 0;
    return {
      user: anybody(plain, random),
      item,
      units: 1 + random.int(random.pick([1, 1, 3, 12])),
      price: random.chance(0.9) ? shown : shown + 1,
    };
  },
  bind(story, { user: index, item: number, units, price }, step) {
    const { plain, world, names } = story;
    const user = userOf(plain, index);
    const item = ITEMS[number];
    const itemId = names.get(`item:${item?.kind}`);
    if (!item || !itemId) throw new Error('the store does not sell what its behaviour says');
    const total = units * price;
    return {
      keyed: true,
      run: () =>
        world.services.store.buy(caller(story, index, step, `${item.kind} ${units}`), { itemId, units, price }),
      rule() {
        if (price !== item.price) return 'PRICE_CHANGED';
        const quantity = units * item.quantity;
        if (user.limits[item.kind] + quantity > item.limit) return 'LIMIT_REACHED';
        const code = plain.transfer([`user:${index}`, 'system:store', total]);
        if (code) return code;
        user.limits[item.kind] += quantity;
        plain.purchases.set(step, { user, kind: item.kind, quantity, total, refunded: false });
        return null;
      },
      keep: (answer) => ((answer as { total: number }).total === total ? null : 'another total'),
    };
  },
});

const refund = command({
  name: 'refundPurchase',
  weight: 1.5,
  draw(plain, random) {
    const purchase = stepOf(plain.purchases, random);
    return purchase === null ? null : { purchase };
  },
  bind({ plain, world }, { purchase: number }) {
    const { services, players } = world;
    const purchase = plain.purchases.get(number);
    if (!purchase) return null;
    const { user, kind, quantity, total } = purchase;
    const bought = [...plain.purchases.values()].filter((each) => each.user === user).indexOf(purchase);
    return {
      async run() {
        const rows = await world.database.read(({ raw }) =>
          raw.all<{ id: string }>('SELECT id FROM store_purchases WHERE user_id = ? ORDER BY id', [
            players[user.index]?.userId ?? '',
          ]),
        );
        return services.store.refund(null, rows[bought]?.id ?? '');
      },
      rule() {
        if (purchase.refunded) return 'ALREADY_REFUNDED';
        if (user.limits[kind] - quantity < user.used[kind]) return 'PURCHASE_IN_USE';
        purchase.refunded = true;
        user.limits[kind] -= quantity;
        return plain.transfer(['system:store', `user:${user.index}`, total]);
      },
    };
  },
});

/** The server takes some of what its owner may have, so that a purchase may be in use. */
const use = command({
  name: 'use',
  never: 'broken',
  weight: 0.5,
  draw(plain, random) {
    const user = anybody(plain, random);
    return { user, memory: 256 * (1 + random.int(userOf(plain, user).limits.memory / 256)) };
  },
  bind({ plain, world }, { user, memory }) {
    const { limits, used } = userOf(plain, user);
    if (memory > limits.memory) return null;
    return {
      run: () =>
        world.database.write(({ raw }) =>
          raw.run('UPDATE servers SET memory = ? WHERE id = ?', [memory, world.players[user]?.serverId ?? '']),
        ),
      rule() {
        used.memory = memory;
        return null;
      },
    };
  },
});

const renew = command({
  name: 'renew',
  weight: 1,
  together: true,
  draw(plain, random) {
    const user = anybody(plain, random);
    const { expiresMs } = userOf(plain, user);
    return {
      user,
      price: random.chance(0.9) ? TERMS.cost : TERMS.cost - 1,
      seenMs: random.chance(0.9) ? expiresMs : expiresMs - DAY,
    };
  },
  bind(story, { user: index, price, seenMs }, step) {
    const { plain, world } = story;
    const user = userOf(plain, index);
    return {
      keyed: true,
      run: () =>
        world.services.servers.renew(caller(story, index, step, ''), world.players[index]?.serverId ?? '', {
          price,
          expiresAt: iso(seenMs),
        }),
      rule() {
        if (price !== TERMS.cost) return 'PRICE_CHANGED';
        if (seenMs !== user.expiresMs) return 'CONFLICT';
        const until = Math.max(plain.now(), user.expiresMs) + TERMS.days * DAY;
        if (until > plain.now() + TERMS.maxDays * DAY) return 'RENEW_TOO_FAR';
        const code = plain.transfer([`user:${index}`, 'system:renewal', price]);
        if (!code) user.expiresMs = until;
        return code;
      },
      keep: (answer) => ((answer as { expiresMs: number }).expiresMs === user.expiresMs ? null : 'another expiry'),
    };
  },
});

export const SPENDING = [buy, refund, use, renew];

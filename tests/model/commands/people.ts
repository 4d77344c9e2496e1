import { amountOf, anybody, command } from '../command.ts';
import { TERMS } from '../plain.ts';
import { asOwner, caller } from './caller.ts';
import { idOf } from './wallet.ts';

const gift = command({
  name: 'gift',
  weight: 1.5,
  together: true,
  draw(plain, random) {
    const amount = random.chance(0.9)
      ? 1 + random.int(random.pick([10, 200, 1000]))
      : random.pick([0, TERMS.giftMax + 1]);
    // The fee as the page shows it: a tenth, rounded up.
    const total = amount + Math.ceil(amount / 10) + (random.chance(0.05) ? 1 : 0);
    return { user: anybody(plain, random), other: anybody(plain, random), amount, total };
  },
  bind(story, { user, other, amount, total }, step) {
    const { plain, world } = story;
    return {
      keyed: true,
      run: () =>
        world.services.gifts.send(caller(story, user, step, `${other} ${amount} ${total}`), {
          recipientId: idOf(story, other),
          amount,
          total,
          note: '',
        }),
      rule() {
        if (user === other) return 'GIFT_TO_SELF';
        if (amount < 1 || amount > TERMS.giftMax) return 'VALIDATION_FAILED';
        const fee = Math.ceil(amount / 10);
        if (total !== amount + fee) return 'PRICE_CHANGED';
        if (plain.gifts.room(user, 'sent', amount, { cap: TERMS.giftCap })) return 'GIFT_CAP_REACHED';
        const code = plain.transfer(
          [`user:${user}`, `user:${other}`, amount],
          [`user:${user}`, 'system:gift.fee', fee],
        );
        if (!code) plain.gifts.count(user, 'sent', amount);
        return code;
      },
    };
  },
});

/** Staff give or take credits, with a reason. */
const adjust = command({
  name: 'adjust',
  weight: 1,
  together: true,
  draw: (plain, random) => ({
    user: anybody(plain, random),
    by: anybody(plain, random),
    amount: random.chance(0.6) ? amountOf(random) : -amountOf(random),
  }),
  bind(story, { user, by, amount }, step) {
    const { plain, world } = story;
    const [own, desk] = [`user:${user}`, 'system:adjustment'];
    return {
      keyed: true,
      run: () =>
        world.services.people.adjust(asOwner(caller(story, by, step, `${user} ${amount}`)), idOf(story, user), {
          amount,
          reason: 'a reason',
        }),
      rule() {
        if (amount < 0) return plain.transfer([own, desk, -amount]);
        // What is given pays a debt first.
        plain.giveBack(user, amount, desk);
        return null;
      },
      keep: (answer) => ((answer as { balance: number }).balance === plain.balance(own) ? null : 'another balance'),
    };
  },
});

export const PEOPLE = [gift, adjust];

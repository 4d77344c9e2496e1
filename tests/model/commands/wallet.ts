import { toCredits } from '#shared/credits.ts';
import type { Account } from '#server/modules/ledger/index.ts';
import { amountOf, anybody, command, stepOf, userOf, type Story } from '../command.ts';

/** Id of a user of the product. */
export function idOf({ world }: Pick<Story, 'world'>, index: number): string {
  const player = world.players[index];
  if (!player) throw new Error(`no player ${index}`);
  return player.userId;
}

/** Credits out of nowhere, and back there, as the ledger moves them. */
const move = command({
  name: 'move',
  weight: 1,
  together: true,
  draw: (plain, random) => ({
    user: anybody(plain, random),
    amount: random.chance(0.6) ? amountOf(random) : -amountOf(random),
  }),
  bind(story, { user, amount }, step) {
    const { ledger, uow } = story.world.services;
    const wallet: Account = `user:${idOf(story, user)}`;
    const posting = {
      source: amount > 0 ? 'system:adjustment' : wallet,
      destination: amount > 0 ? wallet : 'system:adjustment',
      amount: toCredits(Math.abs(amount)),
    } as const;
    const own = `user:${user}`;
    return {
      run: () =>
        uow.run((tx) => ledger.transfer(tx, { kind: 'adjustment', reference: `move:${step}`, postings: [posting] })),
      rule: () =>
        story.plain.transfer(amount > 0 ? ['system:adjustment', own, amount] : [own, 'system:adjustment', -amount]),
    };
  },
});

const hold = command({
  name: 'hold',
  weight: 1,
  together: true,
  draw: (plain, random) => ({ user: anybody(plain, random), amount: amountOf(random) }),
  bind(story, { user, amount }, step) {
    const { ledger, uow } = story.world.services;
    const { plain } = story;
    return {
      run: () =>
        uow.run((tx) =>
          ledger.hold(tx, { userId: idOf(story, user), amount, reference: `hold:${step}`, kind: 'test.hold' }),
        ),
      rule() {
        const code = plain.transfer([`user:${user}`, `hold:${user}`, amount]);
        if (!code) plain.holds.set(step, { user: userOf(plain, user), amount, open: true });
        return code;
      },
      keep(answer) {
        story.names.set(`hold:${step}`, (answer as { holdId: string }).holdId);
        return null;
      },
    };
  },
});

/** Spends a hold, or gives it back. */
const endHold = command({
  name: 'endHold',
  weight: 1,
  together: true,
  draw(plain, random) {
    const hold = stepOf(plain.holds, random);
    return hold === null ? null : { hold, back: random.chance(0.5) };
  },
  bind(story, { hold, back }, step) {
    const { ledger, uow } = story.world.services;
    const found = story.plain.holds.get(hold);
    const id = story.names.get(`hold:${hold}`);
    if (!found || !id) return null;
    const facts = { destination: 'system:images', kind: 'test.capture', reference: `capture:${step}` } as const;
    return {
      run: () => uow.run((tx) => (back ? ledger.release(tx, id) : ledger.capture(tx, id, facts))),
      rule() {
        if (!found.open) return 'HOLD_CLOSED';
        found.open = false;
        const { index } = found.user;
        return story.plain.transfer([`hold:${index}`, back ? `user:${index}` : 'system:images', found.amount]);
      },
    };
  },
});

/** Credits that were paid for are taken back; what is spent becomes a debt. */
const chargeBack = command({
  name: 'chargeBack',
  weight: 0.3,
  together: true,
  draw: (plain, random) => ({ user: anybody(plain, random), amount: amountOf(random) }),
  bind(story, { user, amount }, step) {
    const { ledger, uow } = story.world.services;
    const { plain } = story;
    const facts = {
      userId: idOf(story, user),
      amount,
      destination: 'system:payment.paypal',
      kind: 'payment.chargeback',
      reference: `chargeback:${step}`,
    } as const;
    return {
      run: () => uow.run((tx) => ledger.chargeBack(tx, facts)),
      rule() {
        plain.chargeBack(user, amount, facts.destination);
        return null;
      },
      keep: (answer) => ((answer as { debt: number }).debt === plain.balance(`debt:${user}`) ? null : 'another debt'),
    };
  },
});

/** The debt is paid out of the wallet, or forgiven where it has not enough. */
const payDebt = command({
  name: 'payDebt',
  weight: 0.6,
  together: true,
  draw(plain, random) {
    const indebted = plain.users.filter(({ index }) => plain.balance(`debt:${index}`) > 0);
    if (indebted.length === 0) return null;
    const { index } = random.pick(indebted);
    return {
      user: index,
      amount: plain.balance(`debt:${index}`),
      forgive: plain.balance(`user:${index}`) < plain.balance(`debt:${index}`),
    };
  },
  bind(story, { user, amount, forgive }, step) {
    const { ledger, uow } = story.world.services;
    const { plain } = story;
    // A list of steps that was made shorter may not get as far.
    if (plain.balance(`debt:${user}`) < amount) return null;
    const id = idOf(story, user);
    const gate = 'system:payment.paypal';
    const [wallet, debt]: Account[] = [`user:${id}`, `debt:${id}`];
    if (!wallet || !debt) return null;
    const postings = (forgive ? [debt] : [wallet, debt]).map(
      (source) => ({ source, destination: gate, amount: toCredits(amount) }) as const,
    );
    return {
      run: () => uow.run((tx) => ledger.transfer(tx, { kind: 'debt', reference: `debt:${step}`, postings })),
      rule: () =>
        forgive
          ? plain.transfer([`debt:${user}`, gate, amount])
          : plain.transfer([`user:${user}`, gate, amount], [`debt:${user}`, gate, amount]),
    };
  },
});

export const WALLET = [move, hold, endHold, chargeBack, payDebt];

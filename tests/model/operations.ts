import type { SignedIn } from '#server/modules/kernel.ts';
import { coins } from '#shared/coins.ts';
import { DAY, HOUR, iso, SECOND } from '#shared/time.ts';
import { addCode, keyed } from '#tests/support/coins.ts';
import type { Random } from '#tests/support/random.ts';
import type { Code, Plain, PlainHold, PlainItem, PlainPurchase, PlainUser } from './plain.ts';
import type { Product } from './product.ts';

export interface Player {
  readonly ctx: SignedIn;
  readonly serverId: string;
  readonly plain: PlainUser;
  afkId: string | null;
}
/** What happened so far and can be referred to again. */
export interface Story {
  readonly product: Product;
  readonly plain: Plain;
  readonly random: Random;
  readonly players: readonly Player[];
  readonly items: readonly (PlainItem & { readonly id: string })[];
  readonly purchases: (PlainPurchase & { readonly id: string })[];
  readonly holds: (PlainHold & { readonly id: string })[];
  readonly texts: string[];
  /** Commands that went well under a key, to be sent again. */
  readonly repeats: { readonly text: string; readonly answer: string; run(): Promise<unknown> }[];
  count: number;
}
export interface Operation {
  readonly text: string;
  /** Does it to the product. */
  run(): Promise<unknown>;
  /** Does it to the model. Gives the code it is refused with. `answer` is what the product said. */
  apply(answer: unknown): Code;
}

/** Amounts of adjustments and holds, from nothing much to more than anybody has. */
const amountOf = (random: Random) => 1 + random.int(random.pick([5, 50, 400, 2000]));
const ask = (story: Story): Player => story.random.pick(story.players);
const keyOf = (story: Story) => `model-key-${(story.count += 1)}`;

function adjust(story: Story): Operation {
  const { product, random, plain } = story;
  const { ctx, plain: user } = ask(story);
  const amount = random.chance(0.6) ? amountOf(random) : -amountOf(random);
  const wallet = `user:${ctx.actor.userId}` as const;
  const [source, destination] = amount > 0 ? (['system:adjustment', wallet] as const) : ([wallet, 'system:adjustment'] as const);
  const posting = { source, destination, amount: coins(Math.abs(amount)) };
  return {
    text: `adjust by ${amount}`,
    run: () => product.breaker.run((tx) => product.ledger.transfer(tx, { kind: 'adjustment', reference: keyOf(story), postings: [posting] })),
    apply: () => plain.adjust(user, amount),
  };
}

function redeem(story: Story): Operation {
  const { product, random, plain, texts } = story;
  const { ctx, plain: user } = ask(story);
  const text = random.chance(0.85) ? random.pick(texts) : 'UNKNOWN';
  const own = keyed(ctx, keyOf(story), text);
  const run = () => product.redeem.redeem(own, ` ${text.toLowerCase()}-`);
  return { text: `redeem ${text}`, run, apply: (answer) => repeatable(story, `redeem ${text}`, run, answer, plain.redeem(user, text)) };
}

function buy(story: Story): Operation {
  const { product, random, plain, items, purchases } = story;
  const { ctx, plain: user } = ask(story);
  const item = random.pick(items);
  const units = 1 + random.int(random.pick([1, 1, 3, 12]));
  const price = random.chance(0.9) ? item.price : item.price + 1;
  const own = keyed(ctx, keyOf(story), `${item.id} ${units}`);
  const run = () => product.store.buy(own, { itemId: item.id, units, price });
  return {
    text: `buy ${units} of ${item.kind} for ${price}`,
    async run() {
      const answer = await run();
      const [row] = await product.db.sql<{ id: string }>('SELECT id FROM store_purchases WHERE user_id = ? ORDER BY id DESC LIMIT 1', [ctx.actor.userId]);
      return { answer, id: row?.id ?? '' };
    },
    apply(done) {
      const code = plain.buy(user, item, units, price);
      if (code) return code;
      const { answer, id } = done as { answer: unknown; id: string };
      purchases.push({ id, user, kind: item.kind, quantity: units * item.quantity, total: units * price, refunded: false });
      return repeatable(story, `buy ${item.kind}`, run, answer, null);
    },
  };
}

function refund(story: Story): Operation | null {
  const { product, random, plain, purchases } = story;
  if (purchases.length === 0) return null;
  const purchase = random.pick(purchases);
  return { text: `refund ${purchase.id}`, run: () => product.store.refund(null, purchase.id), apply: () => plain.refund(purchase) };
}

/** The server takes some of what the user may have, so that a purchase may be in use. */
function use(story: Story): Operation {
  const { product, random, plain } = story;
  const { plain: user, serverId } = ask(story);
  const memory = 256 * (1 + random.int(user.limits.memory / 256));
  const run = () => product.db.sql('UPDATE servers SET memory = ? WHERE id = ?', [memory, serverId]);
  return { text: `use ${memory} MB`, run, apply: () => plain.use(user, memory) };
}

function hold(story: Story): Operation {
  const { product, random, plain, holds } = story;
  const { ctx, plain: user } = ask(story);
  const amount = amountOf(random);
  const facts = { userId: ctx.actor.userId, amount, reference: keyOf(story), kind: 'test.hold' };
  return {
    text: `hold ${amount}`,
    run: () => product.breaker.run((tx) => product.ledger.hold(tx, facts)),
    apply(answer) {
      const code = plain.hold(user, amount);
      if (!code) holds.push({ id: (answer as { holdId: string }).holdId, user, amount, open: true });
      return code;
    },
  };
}

function closeHold(story: Story): Operation | null {
  const { product, random, plain, holds } = story;
  if (holds.length === 0) return null;
  const found = random.pick(holds);
  const back = random.chance(0.5);
  const facts = { destination: 'system:images', kind: 'test.capture', reference: keyOf(story) } as const;
  return {
    text: `${back ? 'release' : 'capture'} ${found.id}`,
    run: () => product.breaker.run((tx) => (back ? product.ledger.release(tx, found.id) : product.ledger.capture(tx, found.id, facts))),
    apply: () => plain.closeHold(found, back),
  };
}

function renew(story: Story): Operation {
  const { product, random, plain } = story;
  const { ctx, plain: user, serverId } = ask(story);
  const price = random.chance(0.9) ? 100 : 99;
  const seenMs = random.chance(0.9) ? user.expiresMs : user.expiresMs - DAY;
  const own = keyed(ctx, keyOf(story));
  const run = () => product.servers.renew(own, serverId, { price, expiresAt: iso(seenMs) });
  return { text: `renew for ${price}`, run, apply: (answer) => repeatable(story, 'renew', run, answer, plain.renew(user, price, seenMs)) };
}

function startAfk(story: Story): Operation {
  const { product, plain } = story;
  const player = ask(story);
  return {
    text: 'start afk',
    run: () => product.afk.start(player.ctx),
    apply(answer) {
      const code = plain.startAfk(player.plain);
      if (!code) player.afkId = (answer as { sessionId: string }).sessionId;
      return code;
    },
  };
}

/** Opens a line, takes its challenge, lets some time pass and answers: so reconnects and gaps of every length occur. */
function beat(story: Story): Operation | null {
  const { product, random, plain } = story;
  const player = ask(story);
  const { ctx, afkId } = player;
  if (afkId === null) return null;
  const waitMs = random.int(30) * SECOND;
  return {
    text: `beat after ${waitMs} ms`,
    async run() {
      const line = new AbortController();
      const events = (await product.afk.stream(ctx, afkId, line.signal))[Symbol.asyncIterator]();
      const first = await events.next();
      line.abort();
      await events.return?.();
      product.clock.advance(waitMs);
      plain.pass(waitMs);
      const challenge = !first.done && first.value.event === 'challenge' ? first.value.data.challenge : '';
      return product.afk.beat(ctx, afkId, challenge);
    },
    apply: () => plain.beat(player.plain),
  };
}

function pass(story: Story): Operation {
  const { product, random, plain } = story;
  const ms = random.chance(0.85) ? random.int(50) * SECOND : random.int(random.pick([1, 20])) * HOUR;
  return {
    text: `${ms} ms pass`,
    run: () => Promise.resolve(product.clock.advance(ms)),
    apply: () => {
      plain.pass(ms);
      return null;
    },
  };
}

function newCode(story: Story): Operation {
  const { product, random, plain, texts } = story;
  const text = `CODE${(story.count += 1)}`;
  const facts = { credits: 1 + random.int(120), uses: random.int(5), enabled: random.chance(0.9) };
  return {
    text: `code ${text}`,
    run: () => addCode(product.db, product.ids, product.clock.now(), text, facts),
    apply() {
      plain.codes.set(text, { credits: facts.credits, left: facts.uses, enabled: facts.enabled });
      texts.push(text);
      if (texts.length > 12) texts.shift();
      return null;
    },
  };
}

/** A command that went well, sent once more with its key: the same answer, and nothing changes. */
function again(story: Story): Operation | null {
  if (story.repeats.length === 0) return null;
  const { text, run, answer } = story.random.pick(story.repeats);
  return {
    text: `again: ${text}`,
    run,
    apply: (second) => (JSON.stringify(second) === answer ? null : `another answer than ${answer}`),
  };
}

function repeatable(story: Story, text: string, run: () => Promise<unknown>, answer: unknown, code: Code): Code {
  if (!code) story.repeats.push({ text, run, answer: JSON.stringify(answer) });
  if (story.repeats.length > 20) story.repeats.shift();
  return code;
}

const KINDS = [adjust, redeem, redeem, buy, buy, refund, use, hold, closeHold, renew, startAfk, beat, beat, beat, beat, beat, pass, pass, newCode, again];

/** Something to do next. */
export function nextOperation(story: Story): Operation {
  for (;;) {
    const operation = story.random.pick(KINDS)(story);
    if (operation) return operation;
  }
}

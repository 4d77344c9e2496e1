import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { ReviewPolicy, Reward } from '#server/modules/rewards/payout/index.ts';
import { createUptime } from '#server/modules/uptime/index.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { atOnce, codeOf, keyed, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { inviteWorld, type InviteWorld, rewardDecided } from '#tests/support/invites.ts';

let world: InviteWorld;
afterEach(() => world.close());

/** Begins a way and waits the shortest time. Gives the token of the return address. */
async function walk(
  ctx: SignedIn,
  provider: 'linkvertise' | 'shareus' | 'linkpays' | 'gyanilinks' | 'generic',
  ms = MINUTE,
): Promise<string> {
  const { url } = await world.links.start(ctx, provider);
  world.clock.advance(ms);
  return world.tokenIn(url);
}
const finish = (ctx: SignedIn, claim: string, proof?: string) => world.links.finish(ctx, { claim, proof });
async function opened(engine: 'sqlite' | 'postgres' = 'sqlite', reviewPolicy?: ReviewPolicy) {
  world = await inviteWorld(engine, reviewPolicy ? { reviewPolicy } : {});
  await world.setUpLinks();
  return world.someone();
}
/** A review policy that holds what nothing proves, and remembers what it saw. */
function suspicious() {
  const seen: Reward[] = [];
  const reviewPolicy: ReviewPolicy = {
    hold: async (_tx, reward) => {
      seen.push(reward);
      return reward.proof === false ? { txId: `held ${reward.reference}` } : null;
    },
    cancel: async () => false,
  };
  return { reviewPolicy, seen };
}

describe.each([...ENGINES])('links on %s', (engine) => {
  test('a link with proof pays, and the page shows it', async () => {
    const ann = await opened(engine);
    const token = await walk(ann, 'linkvertise');
    expect(await finish(ann, token, world.services.prove())).toEqual({
      provider: 'linkvertise',
      credits: 100,
      state: 'paid',
      balance: 100,
    });
    const page = await world.links.page(ann);
    expect(page).toMatchObject({ earnedToday: 100, budgetSpent: false });
    expect(page.offers.map(({ id, used, proves }) => [id, used, proves])).toEqual([
      ['linkvertise', 1, true],
      ['shareus', 0, false],
      ['linkpays', 0, false],
      ['gyanilinks', 0, false],
      ['generic', 0, false],
    ]);
    expect(nth(page.offers, 0).wait).toEqual({ reason: 'cooldown', untilMs: world.clock.now() + HOUR });
    expect(page.history).toMatchObject([{ name: 'Linkvertise', state: 'paid', tokenSealed: null, linkSealed: null }]);
    expect(
      await world.db.sql("SELECT reference, subject FROM ledger_transactions WHERE kind = 'reward.link'"),
    ).toMatchObject([{ subject: 'Linkvertise' }]);
  });

  test('T14 one claim fifty times at once, with proof and without, pays once', async () => {
    const ann = await opened(engine);
    const bare = await walk(ann, 'shareus');
    expect(await atOnce(50, () => finish(ann, bare))).toEqual({ ok: 1, LINK_CLAIM_USED: 49 });
    const proven = await walk(ann, 'linkvertise');
    const proof = world.services.prove();
    const tally = await atOnce(50, () => finish(ann, proven, proof));
    expect(tally.ok).toBe(1);
    expect(Object.keys(tally).every((code) => ['ok', 'LINK_BUSY', 'LINK_CLAIM_USED'].includes(code))).toBe(true);
    expect(await world.balance(ann)).toBe(200);
    expect(world.services.callsOf('linkvertise').filter(({ path }) => path.includes('anti_bypassing'))).toHaveLength(1);
  });

  test('T14 fifty starts at once are one link, and the provider is asked once', async () => {
    const ann = await opened(engine);
    const tally = await atOnce(50, () => world.links.start(ann, 'linkpays'));
    expect(Object.keys(tally).every((code) => ['ok', 'LINK_BUSY'].includes(code))).toBe(true);
    expect(await world.db.sql('SELECT id FROM link_claims')).toHaveLength(1);
    expect(world.services.callsOf('linkpays')).toHaveLength(1);
    const [first, second] = [await world.links.start(ann, 'linkpays'), await world.links.start(ann, 'linkpays')];
    expect(first).toEqual(second);
  });

  test('T14 one proof for fifty claims pays one of them', async () => {
    await opened(engine);
    const people = await Promise.all(Array.from({ length: 50 }, () => world.someone()));
    const tokens: string[] = [];
    for (const person of people) tokens.push(world.tokenIn((await world.links.start(person, 'linkvertise')).url));
    world.clock.advance(MINUTE);
    const proof = world.services.prove();
    expect(await atOnce(50, (index) => finish(nth(people, index), nth(tokens, index), proof))).toEqual({
      ok: 1,
      LINK_NOT_CONFIRMED: 49,
    });
  });

  test('the same request fifty times at once gives one answer', async () => {
    const ann = await opened(engine);
    const claim = await walk(ann, 'gyanilinks');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.links.finish(keyed(ann, 'links-key-1'), { claim })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await world.balance(ann)).toBe(100);
    expect(await codeOf(world.links.finish(keyed(ann, 'links-key-1', 'other'), { claim }))).toBe(
      'IDEMPOTENCY_MISMATCH',
    );
  });

  test('a budget holds for fifty at once; what it refuses keeps its claim', async () => {
    await opened(engine);
    const people = await Promise.all(Array.from({ length: 50 }, () => world.someone()));
    const tokens: string[] = [];
    for (const person of people) tokens.push(world.tokenIn((await world.links.start(person, 'shareus')).url));
    await world.settings.set(null, { link_daily_budget: 300 });
    world.clock.advance(MINUTE);
    expect(await atOnce(50, (index) => finish(nth(people, index), nth(tokens, index)))).toEqual({
      ok: 3,
      BUDGET_SPENT: 47,
    });
    expect(await world.db.sql("SELECT id FROM link_claims WHERE state = 'open'")).toHaveLength(47);
  });
});

describe('T14 a claim address', () => {
  test('a claim address is worthless to anybody else', async () => {
    const ann = await opened();
    const bob = await world.someone();
    const token = await walk(ann, 'linkvertise');
    expect(await codeOf(finish(bob, token, world.services.prove()))).toBe('LINK_CLAIM_UNKNOWN');
    expect(await codeOf(finish(bob, `${token}x`, world.services.prove()))).toBe('LINK_CLAIM_UNKNOWN');
    expect(world.services.callsOf('linkvertise')).toEqual([]);
    expect((await finish(ann, token, world.services.prove())).credits).toBe(100);
  });

  test('a claim address is worthless before its time and after it', async () => {
    const ann = await opened();
    const token = await walk(ann, 'shareus', MINUTE - 1);
    const early = await finish(ann, token).catch((error: unknown) => error);
    expect(early).toMatchObject({ code: 'LINK_TOO_SOON', retryAfterS: 1 });
    world.clock.advance(1);
    expect((await finish(ann, token)).state).toBe('paid');
    const late = await walk(ann, 'linkpays', HOUR);
    expect(await codeOf(finish(ann, late))).toBe('LINK_CLAIM_OVER');
    await world.links.tidy();
    expect(await codeOf(finish(ann, late))).toBe('LINK_CLAIM_OVER');
    expect(await world.balance(ann)).toBe(100);
  });

  test('a claim address is worthless twice, also when the clock is set back (T12)', async () => {
    const ann = await opened();
    const token = await walk(ann, 'shareus');
    await finish(ann, token);
    expect(await codeOf(finish(ann, token))).toBe('LINK_CLAIM_USED');
    world.clock.advance(-2 * DAY);
    expect(await codeOf(finish(ann, token))).toBe('LINK_CLAIM_USED');
  });

  test('a claim address is worthless without the proof of a provider that proves', async () => {
    const ann = await opened();
    const token = await walk(ann, 'linkvertise');
    const other = world.services.prove();
    world.clock.advance(11 * SECOND);
    for (const proof of [undefined, '', 'short', 'f'.repeat(63), `${'f'.repeat(63)}%`, 'f'.repeat(64), other]) {
      expect(await codeOf(finish(ann, token, proof))).toBe('LINK_NOT_CONFIRMED');
    }
    // What cannot be a proof is not even asked about.
    expect(world.services.callsOf('linkvertise')).toHaveLength(2);
    expect((await finish(ann, token, world.services.prove())).credits).toBe(100);
  });

  test('a claim address pays into a hold where nothing proves it, or where one comes back from elsewhere', async () => {
    const { reviewPolicy, seen } = suspicious();
    const ann = await opened('sqlite', reviewPolicy);
    expect((await finish(ann, await walk(ann, 'linkpays'))).state).toBe('held');
    expect((await finish(ann, await walk(ann, 'linkvertise'), world.services.prove())).state).toBe('paid');
    world.clock.advance(HOUR);
    const token = await walk(ann, 'linkvertise');
    const away = { ...(await world.login(ann.actor.userId, ann.actor.username)), address: '192.0.2.77' };
    expect((await finish(away, token, world.services.prove())).state).toBe('held');
    expect(seen.map(({ proof }) => proof)).toEqual([false, true, false]);
    const [claim] = await world.db.sql<{ id: string }>("SELECT id FROM link_claims WHERE provider = 'linkpays'");
    const decided = rewardDecided(ann, `link:${claim?.id}`);
    await world.uow.run((tx) => world.events.emit(tx, 'reward.rejected', decided));
    // What is decided stays so.
    await world.uow.run((tx) => world.events.emit(tx, 'reward.released', decided));
    expect((await world.links.page(ann)).history.map(({ state }) => state).toSorted()).toEqual([
      'held',
      'paid',
      'rejected',
    ]);
  });
});

describe('what bounds a way', () => {
  test('an hour lies between two links, five a day and provider are allowed, and a new day begins again', async () => {
    const ann = await opened();
    for (let turn = 0; turn < 5; turn++) {
      await finish(ann, await walk(ann, 'shareus'));
      if (turn < 4) {
        const refused = await world.links.start(ann, 'shareus').catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'LINK_COOLDOWN', retryAfterS: 3600 });
        world.clock.advance(HOUR);
      }
    }
    world.clock.advance(HOUR);
    // The day began at noon: it is past five in the afternoon.
    expect(await codeOf(world.links.start(ann, 'shareus'))).toBe('LINK_COOLDOWN');
    expect(nth((await world.links.page(ann)).offers, 1).wait?.reason).toBe('daily');
    expect(await codeOf(world.links.start(ann, 'linkpays'))).toBeNull();
    world.clock.advance(8 * HOUR);
    expect(await codeOf(world.links.start(ann, 'shareus'))).toBeNull();
  });

  test('the terms of a link are those it began with', async () => {
    const ann = await opened();
    const token = await walk(ann, 'shareus');
    await world.settings.set(null, { link_shareus_credits: 7, link_shareus_min_seconds: 3600 });
    expect((await finish(ann, token)).credits).toBe(100);
  });

  test('the switches of links, and of one provider, close them', async () => {
    const ann = await opened();
    const [one, other] = [await walk(ann, 'shareus'), await walk(ann, 'linkpays')];
    await world.settings.set(null, { link_shareus_enabled: false });
    expect(await codeOf(finish(ann, one))).toBe('LINK_UNAVAILABLE');
    expect(await codeOf(world.links.start(ann, 'shareus'))).toBe('LINK_UNAVAILABLE');
    await world.settings.set(null, { links_enabled: false });
    expect([await codeOf(finish(ann, other)), await codeOf(world.links.start(ann, 'generic'))]).toEqual([
      'FEATURE_DISABLED',
      'FEATURE_DISABLED',
    ]);
    await world.settings.set(null, { links_enabled: true, link_gyanilinks_key: '' });
    expect(await codeOf(world.links.start(ann, 'gyanilinks'))).toBe('LINK_UNAVAILABLE');
    expect((await world.links.page(ann)).offers.map(({ id }) => id)).toEqual(['linkvertise', 'linkpays', 'generic']);
  });

  test('a cap of the day stops a link before it begins', async () => {
    const ann = await opened();
    await world.settings.set(null, { link_daily_cap: 150 });
    await finish(ann, await walk(ann, 'shareus'));
    expect(await codeOf(world.links.start(ann, 'linkpays'))).toBe('DAILY_CAP_REACHED');
  });
});

describe('lost and wrong answers', () => {
  test('a lost answer of the proof pays nothing, the claim stays, and asking again can still pay', async () => {
    const ann = await opened();
    const token = await walk(ann, 'linkvertise');
    const proof = world.services.prove();
    world.services.fail(
      'linkvertise',
      { kind: 'cut', when: 'after' },
      { kind: 'late', when: 'before' },
      { kind: 'answer', status: 503, body: 'TRUE' },
      { kind: 'answer', status: 200, body: '<html>TRUE</html>' },
      { kind: 'answer', status: 200, body: '' },
      { kind: 'answer', status: 200, body: 'Invalid token.' },
    );
    for (let turn = 0; turn < 6; turn++) expect(await codeOf(finish(ann, token, proof))).toBe('LINK_UNSURE');
    expect(await world.balance(ann)).toBe(0);
    expect((await finish(ann, token, proof)).credits).toBe(100);
    expect(world.log.lines.map(({ fields }) => fields.result)).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      'fault',
    ]);
    expect(JSON.stringify(world.log.lines)).not.toContain(proof);
  });

  test('a provider that spends its proof at once offers another run', async () => {
    const ann = await opened();
    world.services.state.replay = false;
    const token = await walk(ann, 'linkvertise');
    const proof = world.services.prove();
    world.services.fail('linkvertise', { kind: 'cut', when: 'after' });
    expect([await codeOf(finish(ann, token, proof)), await codeOf(finish(ann, token, proof))]).toEqual([
      'LINK_UNSURE',
      'LINK_NOT_CONFIRMED',
    ]);
    expect((await finish(ann, token, world.services.prove())).credits).toBe(100);
  });

  test('a lost answer of the short link keeps it open, and it is asked for again', async () => {
    const ann = await opened();
    world.services.fail(
      'linkpays',
      { kind: 'cut', when: 'after' },
      { kind: 'answer', status: 403, body: '<html>challenge</html>' },
      { kind: 'answer', status: 200, body: '{"status":"success"}' },
    );
    for (let turn = 0; turn < 3; turn++)
      expect(await codeOf(world.links.start(ann, 'linkpays'))).toBe('LINK_PROVIDER_FAILED');
    expect(nth((await world.links.page(ann)).offers, 2).open).toMatchObject({ url: null });
    const { url } = await world.links.start(ann, 'linkpays');
    expect(url).toStartWith('https://linkpays.in/');
    expect(new Set(world.services.callsOf('linkpays').map(({ query }) => query.url)).size).toBe(1);
  });

  test('a claim of a process that died while it asked may be asked for by another after fifteen seconds', async () => {
    const ann = await opened();
    const token = await walk(ann, 'linkvertise');
    await world.db.sql('UPDATE link_claims SET checking_ms = ?', [world.clock.now()]);
    expect(await codeOf(finish(ann, token, world.services.prove()))).toBe('LINK_BUSY');
    world.clock.advance(15 * SECOND);
    expect((await finish(ann, token, world.services.prove())).credits).toBe(100);
  });
});

test('T50 neither tokens nor links nor keys lie in clear', async () => {
  const ann = await opened();
  const token = await walk(ann, 'linkvertise');
  await walk(ann, 'linkpays');
  const stored = JSON.stringify([
    await world.db.sql('SELECT * FROM link_claims'),
    await world.db.sql('SELECT * FROM settings'),
    world.log.lines,
  ]);
  for (const secret of [token, btoa(token).slice(4, 20), 'linkpays.in/', 'b2b2b2b2', 'a1a1a1a1'])
    expect(stored).not.toContain(secret);
});

test('E5 a link open at a downtime continues afterwards with its time, and one that was over stays over', async () => {
  const ann = await opened();
  const bob = await world.someone();
  const token = await walk(ann, 'linkvertise', 10 * MINUTE);
  const over = await walk(bob, 'linkvertise', HOUR);
  const beat = () => createUptime(world).beat();
  await world.db.sql('UPDATE link_claims SET started_ms = ?, ready_ms = ?, expires_ms = ? WHERE user_id = ?', [
    world.clock.now(),
    world.clock.now(),
    world.clock.now() + 50 * MINUTE,
    ann.actor.userId,
  ]);
  await beat();
  world.clock.advance(3 * DAY);
  await beat();
  expect(await codeOf(finish(bob, over, world.services.prove()))).toBe('LINK_CLAIM_OVER');
  world.clock.advance(49 * MINUTE);
  expect(await finish(ann, token, world.services.prove())).toMatchObject({ credits: 100, state: 'paid' });
});

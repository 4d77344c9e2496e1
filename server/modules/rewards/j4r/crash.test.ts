import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { Crash } from '#tests/support/crash.ts';
import { openJoin } from '#tests/support/join.ts';

let opened: Awaited<ReturnType<typeof openJoin>>;
beforeEach(async () => {
  opened = await openJoin();
});
afterEach(() => opened.world.close());

describe('T10 broken off at any statement', () => {
  test('a claim leaves nothing behind, and pays once in the end', async () => {
    const { world, ann, j4r, breaker } = opened;
    let crashes = 0;
    for (let call = 1; ; call += 1) {
      breaker.arm(call);
      const outcome = await j4r.claim(ann, 'entry').catch((error: unknown) => error);
      if (!breaker.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect(await world.balance(ann)).toBe(100);
      expect((await j4r.page(ann)).servers[0]?.state).toBe('open');
      expect((await j4r.page(ann)).earnedToday).toBe(0);
      crashes += 1;
    }
    expect(crashes).toBeGreaterThan(7);
    expect([await world.balance(ann), (await j4r.page(ann)).earnedToday]).toEqual([145, 45]);
  });

  test('a reversal leaves the claim as it was until it is done whole', async () => {
    const { world, ann, j4r, breaker, state } = opened;
    await j4r.claim(ann, 'entry');
    state.inside = false;
    world.pass(DAY);
    let crashes = 0;
    for (let call = 1; ; call += 1) {
      breaker.arm(call);
      const outcome = await j4r.checkDue().catch((error: unknown) => error);
      if (!breaker.disarm()) break;
      expect(outcome).toBeInstanceOf(Crash);
      expect([await world.balance(ann), (await j4r.page(ann)).servers[0]?.state]).toEqual([145, 'vesting']);
      crashes += 1;
      world.pass(HOUR);
    }
    expect(crashes).toBeGreaterThan(6);
    expect([await world.balance(ann), (await j4r.page(ann)).servers[0]]).toMatchObject([
      100,
      { state: 'left', taken: 45 },
    ]);
  });
});

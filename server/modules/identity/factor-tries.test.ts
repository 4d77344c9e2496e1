import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import { guestCtx } from '#tests/support/browser.ts';
import { openTestDb, type TestDb } from '#tests/support/db.ts';
import type { SignedIn } from '../kernel.ts';
import { countWrongCode, clearTries, secondsToWait, tryWindows, type TryWindow } from './factor-tries.ts';

const NOW = 1_800_000_000_000;
const by = (sessionId: string, address: string, userId = 'u'): SignedIn => ({
  ...guestCtx({ address }),
  actor: { userId, sessionId, username: 'ann', permissions: [], verified: true },
});

let db: TestDb;
beforeAll(async () => {
  db = await openTestDb();
});
beforeEach(() => db.sql('DELETE FROM attempts'));
afterAll(() => db.close());

const wrong = (windows: readonly TryWindow[], atMs = NOW) => db.uow.run((tx) => countWrongCode(tx, windows, atMs));
const wait = (windows: readonly TryWindow[], atMs = NOW) => db.uow.run((tx) => secondsToWait(tx, windows, atMs));

describe('wrong codes of a second factor', () => {
  test('T32 five wrong codes in fifteen minutes make a session and an address wait for fifteen, to the second', async () => {
    const windows = tryWindows(by('s', '203.0.113.7'), '', false);
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await wait(windows)).toBe(0);
      await wrong(windows);
    }
    expect(await wait(windows)).toBe(15 * 60);
    expect(await wait(windows, NOW + 15 * MINUTE - 1)).toBe(1);
    expect(await wait(windows, NOW + 15 * MINUTE)).toBe(0);
    // Another session at the same address waits as well, and so does this one from elsewhere.
    expect(await wait(tryWindows(by('other', '203.0.113.7'), '', false))).toBe(15 * 60);
    expect(await wait(tryWindows(by('s', '198.51.100.1'), '', false))).toBe(15 * 60);
    expect(await wait(tryWindows(by('other', '198.51.100.1'), '', false))).toBe(0);
    expect(await wait(tryWindows(by('other', '203.0.113.7', 'another user'), '', false))).toBe(0);
  });

  test('T32 wrong codes count from the last one, and are forgotten when that is as long ago as their window', async () => {
    const windows = tryWindows(by('s', '203.0.113.7'), '', false);
    for (let tries = 0; tries < 4; tries += 1) await wrong(windows, NOW + tries * 14 * MINUTE);
    const last = NOW + 3 * 14 * MINUTE;
    await wrong(windows, last + 15 * MINUTE);
    expect(await wait(windows, last + 15 * MINUTE)).toBe(0);
    for (let tries = 0; tries < 4; tries += 1) await wrong(windows, last + 30 * MINUTE - 1);
    expect(await wait(windows, last + 30 * MINUTE - 1)).toBe(15 * 60);
  });

  test('S8 twenty wrong codes from everywhere make strangers wait an hour, and not a browser that passed the factor before', async () => {
    for (let tries = 0; tries < 20; tries += 1) {
      expect(await wait(tryWindows(by(`s${tries}`, `203.0.113.${tries}`), '', false))).toBe(0);
      await wrong(tryWindows(by(`s${tries}`, `203.0.113.${tries}`), '', false));
    }
    expect(await wait(tryWindows(by('new', '198.51.100.1'), '', false))).toBe(HOUR / 1000);
    const own = tryWindows(by('mine', '203.0.113.7'), 'my-browser', true);
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await wait(own)).toBe(0);
      await wrong(own);
    }
    expect(await wait(own)).toBe(15 * 60);
    expect(await wait(tryWindows(by('again', '203.0.113.7'), 'my-browser', true))).toBe(15 * 60);
    expect(await wait(tryWindows(by('again', '203.0.113.7'), 'their-browser', true))).toBe(0);
  });

  test('the right code forgives the wrong ones of its own windows, and of no others', async () => {
    const [mine, theirs] = [
      tryWindows(by('s', '203.0.113.7'), '', false),
      tryWindows(by('t', '203.0.113.8', 'v'), '', false),
    ];
    for (let tries = 0; tries < 5; tries += 1) await wrong([...mine, ...theirs]);
    await db.uow.run((tx) => clearTries(tx, mine));
    expect([await wait(mine), await wait(theirs)]).toEqual([0, 15 * 60]);
  });
});

import { beforeEach, describe, expect, test } from 'bun:test';
import { testLog } from '#tests/support/log.ts';
import { createReserveKeeper } from './reserve.ts';

/** Servers by their bytes; null: not counted yet. */
let bytes: Record<string, number | null>;
let stopped: string[];
let idle: string[];
let isBelowReserve: boolean;
const look = () =>
  createReserveKeeper(
    () =>
      Object.keys(bytes).map((id) => ({
        id,
        countedBytes: () => bytes[id] ?? null,
        stopForReserve: () => {
          if (idle.includes(id)) return Promise.resolve(false);
          stopped.push(id);
          return Promise.resolve(true);
        },
      })),
    { isBelowReserve: () => isBelowReserve },
    testLog(),
  );
beforeEach(() => {
  [bytes, stopped, idle, isBelowReserve] = [{ large: 9000, web: 100, app: 100 }, [], [], true];
});

describe('the reserve of the disk', () => {
  test('the server that grew most since the last look is stopped, one a look', async () => {
    const keep = look();
    await keep();
    expect(stopped).toEqual([]);
    bytes = { large: 9000, web: 101, app: 300 };
    await keep();
    expect(stopped).toEqual(['app']);
    // It grows no more.
    await keep();
    expect(stopped).toEqual(['app']);
  });

  test('a server that does not run is passed over', async () => {
    const keep = look();
    await keep();
    bytes = { large: 9000, web: 101, app: 300 };
    idle = ['app'];
    await keep();
    expect(stopped).toEqual(['web']);
  });

  test('a server that was counted for the first time did not grow', async () => {
    bytes = { large: null, web: 100, app: 100 };
    const keep = look();
    await keep();
    bytes = { large: 9000, web: 100, app: 101, new: 500 };
    await keep();
    expect(stopped).toEqual(['app']);
  });

  test('nobody is stopped above the reserve, and growth before it went below does not count', async () => {
    isBelowReserve = false;
    const keep = look();
    await keep();
    bytes = { large: 9000, web: 100, app: 900 };
    await keep();
    isBelowReserve = true;
    await keep();
    expect(stopped).toEqual([]);
  });
});

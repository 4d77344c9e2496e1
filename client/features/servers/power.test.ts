import { expect, test } from 'bun:test';
import { isSignalPending, SIGNAL_TIMEOUT_MS } from './power.tsx';
import type { LiveAnswer } from './use-usage.ts';

const SENT = Date.parse('2026-11-21T18:00:00.000Z');
const after = (seconds: number, power: NonNullable<LiveAnswer['usage']>['power'], uptime_s = 0): LiveAnswer => ({
  problem: null,
  at: new Date(SENT + seconds * 1000).toISOString(),
  usage: { power, memory: 0, cpu: 0, disk: 0, network: null, uptime_s, halt: null, players: null },
  delay_s: 20,
});
const isPending = (signal: 'start' | 'stop' | 'restart', answer: LiveAnswer | null, passedMs = 10_000) =>
  isSignalPending({ signal, atMs: SENT }, answer, SENT + passedMs);

test('nothing is pending when nothing was sent', () =>
  expect(isSignalPending(null, after(1, 'running'), SENT)).toBe(false));

test('numbers from before the signal say nothing about it', () => {
  expect(isPending('start', after(-1, 'running'))).toBe(true);
  expect(isPending('stop', null)).toBe(true);
});

test('a start is over when it does not stand still any more, a stop when it does', () => {
  expect([
    isPending('start', after(5, 'offline')),
    isPending('start', after(5, 'starting')),
    isPending('start', after(5, 'running')),
  ]).toEqual([true, false, false]);
  expect([
    isPending('stop', after(5, 'running')),
    isPending('stop', after(5, 'stopping')),
    isPending('stop', after(5, 'offline')),
  ]).toEqual([true, true, false]);
});

test('a restart is over when it starts, or runs for less time than has passed', () => {
  expect(isPending('restart', after(8, 'running', 5000))).toBe(true);
  expect(isPending('restart', after(8, 'stopping', 5000))).toBe(true);
  expect(isPending('restart', after(8, 'starting'))).toBe(false);
  expect(isPending('restart', after(20, 'running', 9))).toBe(false);
});

test('waiting for a signal ends after its time', () =>
  expect(isPending('stop', after(50, 'running'), SIGNAL_TIMEOUT_MS)).toBe(false));

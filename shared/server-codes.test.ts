import { describe, expect, test } from 'bun:test';
import dashboard from '#locales/en/dashboard.json';
import live from '#locales/en/live.json';
import servers from '#locales/en/servers.json';
import { LIVE_PROBLEMS, NEXT_STEPS, QUEUE_STEPS, SERVER_EVENTS, SERVER_FAILURES } from './server-codes.ts';

/** Codes and the texts that stand for them. */
const TEXTS: readonly [string, readonly string[], Readonly<Record<string, string>>][] = [
  ['steps of the queue', QUEUE_STEPS, servers.step],
  ['failures', SERVER_FAILURES, servers.failure],
  ['events', SERVER_EVENTS, servers.event],
  ['proposals of the dashboard', NEXT_STEPS, dashboard.next],
  ['problems of live usage', LIVE_PROBLEMS, live.problem],
];

describe('codes of servers', () => {
  for (const [name, codes, texts] of TEXTS) {
    test(`all ${name} have a text`, () => expect(codes.filter((code) => !texts[code])).toEqual([]));
  }
});

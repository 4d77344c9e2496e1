import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { ledgerCommand } from './ledger.ts';

let h: Harness;
let out: string[];
let err: string[];
beforeEach(async () => {
  h = await openHarness({ tasks: 'ledger.archive' });
  [out, err] = [[], []];
});
afterEach(() => h.close());

const output = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
const run = (...argv: string[]) => ledgerCommand(h.host.services, argv, output);

test('the command proves the ledger, and says how much is archived and how far', async () => {
  const ann = await h.person('ann', { credits: 5 });
  expect(await run('verify')).toBe(0);
  expect(out).toEqual(['the ledger holds']);
  await h.creditPerson(ann.id, 2);
  h.clock.advance(500 * DAY);
  await h.drainJobs();
  h.clock.advance(HOUR);
  out = [];
  expect(await run('verify')).toBe(0);
  expect(out).toEqual(['archived transactions: 2 (blocks: 1), complete up to 2026-06-01', 'the ledger holds']);
  await h.db.sql('UPDATE ledger_blocks SET credits = credits + 1');
  out = [];
  expect(await run('verify')).toBe(1);
  expect(err).toContain(`block 1 of user:${ann.id} says 8 but its postings make 7`);
  expect(out.at(-1)).toBe(`${err.length} faults`);
  await h.db.sql('UPDATE ledger_blocks SET credits = credits - 1');
});

test('the command shows its usage where it is used in another way', async () => {
  expect(await run()).toBe(2);
  expect(await run('verify', 'all')).toBe(2);
  expect(err).toEqual(Array(2).fill('Usage: spawnpoint ledger verify'));
});

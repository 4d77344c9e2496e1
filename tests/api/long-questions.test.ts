import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { MINUTE } from '#shared/time.ts';
import { spawnReader } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

let harness: Harness;
let owner: Person;
/** Views that the reading thread was asked to open. */
let views = 0;

/** A thread that counts what it is asked. */
function counted(): Worker {
  const thread = spawnReader();
  const post = thread.postMessage.bind(thread) as (message: unknown) => void;
  thread.postMessage = (message: { readonly what?: string }) => {
    if (message.what === 'begin') views += 1;
    post(message);
  };
  return thread;
}
beforeAll(async () => {
  harness = await openHarness({ spawnReader: counted });
  owner = await harness.person('the.owner', { permissions: ['admin.root'], credits: 10 });
}, 300_000);
afterAll(() => harness.close());

/** Runs something. Out: how many views of the data it opened elsewhere. */
async function viewsOf(run: () => Promise<unknown>): Promise<number> {
  const before = views;
  await run();
  return views - before;
}

// The report of an import is a file that the import wrote: no question to the database.
const EXPORTS = ENDPOINTS.filter(({ format, name }) => format === 'csv' && name !== 'adminImports.report');
test('there are exports to go through', () => expect(EXPORTS.length).toBeGreaterThan(5));
test.each(EXPORTS.map(({ name, path }) => [name, path]))(
  'T66 the export %s is read by the thread for long questions',
  async (_, path) => {
    const get = async () => {
      const response = await harness.http(path.replace(':id', owner.id), {
        headers: { Cookie: `${SESSION_COOKIE}=${owner.secret}` },
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      // The mark by which spreadsheets know UTF-8.
      expect(Array.from((await response.bytes()).subarray(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
    };
    expect(await viewsOf(get)).toBeGreaterThan(0);
  },
);

const QUESTIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  'the proof of the ledger': () => harness.host.services.proveLedger(),
  'the daily proof of the ledger, as the clock brings it': () => harness.host.scheduler.tick(),
  'the counts of the overview': () => owner.api.adminOverview.get(),
  'the activity of the overview': () => owner.api.adminOverview.activity(),
  'a statement of one kind': () => owner.api.account.statement({ query: { kind: 'gift' } }),
  'a list of users that no index has in its order': () =>
    owner.api.adminUsers.list({ query: { status: 'banned', unverified: 'true' } }),
  'staff’s list of servers': () => owner.api.adminServers.list({ query: { state: 'suspended', sort: 'owner' } }),
  'staff’s list of the queue': () => owner.api.adminServerQueue.list({ query: { q: 'somebody' } }),
  'the log of the queue': () => owner.api.adminServerQueue.logs({ query: { q: 'somebody' } }),
  'the list of an admin area': () => owner.api.adminEggs.list(),
  'staff’s list of orders': () => owner.api.adminPayments.list({ query: { sort: '-amount' } }),
  'what stands in each list of tickets': () => owner.api.adminTickets.list({ query: { view: 'inbox' } }),
};
test.each(Object.entries(QUESTIONS))('T66 %s is asked of the thread for long questions', async (_, ask) => {
  harness.clock.advance(MINUTE);
  expect(await viewsOf(ask)).toBeGreaterThan(0);
});

test('a quick question stays where it is: a first page opens nothing elsewhere', async () => {
  expect(await viewsOf(() => owner.api.account.statement())).toBe(0);
  expect(await viewsOf(() => owner.api.adminUsers.list({ query: { factor: 'true', sort: 'username' } }))).toBe(0);
});

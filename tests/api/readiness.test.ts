import { afterEach, beforeEach, expect, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

/** Lets the file grow no further, as a full disk does, or lets it grow again. */
async function limitPages(pages: number): Promise<void> {
  await harness.db.database.write(({ raw }) => raw.all(`PRAGMA max_page_count = ${pages}`));
}
const ready = async () => (await harness.http('/readyz')).status;

test('T62 E9 a full disk is reported by the readiness probe until it can be written again, and reading goes on', async () => {
  const ann = await harness.person('ann', { permissions: ['admin.root'], credits: 10 });
  expect(await ready()).toBe(200);
  // Pages that no longer fit are refused at once; what is free inside the file is used up first.
  await limitPages(1);
  const body = (at: number) => ({
    code: `FILLER-${at}`,
    note: 'x'.repeat(100),
    credits: 1,
    uses_total: 1,
    min_age_days: 0,
    starts_at: null,
    ends_at: null,
    enabled: true,
  });
  let status = 200;
  for (let at = 0; status === 200 && at < 500; at += 1)
    ({ status } = await call(harness, ann, 'POST', '/api/admin/redeem-codes', body(at)));
  expect([status, await ready()]).toEqual([503, 503]);
  // Nor does a command that has nothing to write make it well.
  await harness.db.uow.run(async () => undefined);
  expect(await ready()).toBe(503);
  expect((await call(harness, ann, 'GET', '/api/dashboard')).status).toBe(200);
  harness.db.log.lines.length = 0;
  await limitPages(1_000_000);
  expect(await ready()).toBe(200);
  expect(await call(harness, ann, 'POST', '/api/admin/redeem-codes', body(501))).toMatchObject({ status: 200 });
});

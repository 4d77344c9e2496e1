import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { endpointUrl } from '#shared/contract/client.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';
import type { Person } from '#tests/support/harness.ts';

setDefaultTimeout(300_000);

const CODE = 'SIDEDOOR-77-LEAK';
const SECRET = 'sk_side_door_secret';
const MAIL = 'ann@example.com';
/** Who may read what, and by what: typed by hand. */
const MAY: readonly { readonly text: string; readonly by: readonly Permission[] }[] = [
  { text: CODE, by: ['admin.redeem.codes.list', 'admin.redeem.codes.edit', 'admin.redeem.codes.delete'] },
  // Who deletes an account sees whose it is.
  { text: MAIL, by: ['admin.users.list', 'admin.users.edit', 'admin.users.delete', 'admin.payments.view'] },
  { text: SECRET, by: [] },
];
const STAFF = PERMISSIONS.map(({ value }) => value).filter(
  (value) => value.startsWith('admin.') && value !== 'admin.root',
);

let world: PayWorld;
/** Ids that the paths may be about. */
let ids: readonly string[];

beforeAll(async () => {
  world = await openPayWorld();
  const { harness, ann } = world;
  const owner = await harness.person('root', { permissions: ['admin.root'] });
  const code = await owner.api.adminRedeemCodes.create({
    body: {
      code: CODE,
      note: 'For the fair',
      credits: 5,
      uses_total: 9,
      min_age_days: 0,
      starts_at: null,
      ends_at: null,
      enabled: true,
    },
  });
  const { row } = await owner.api.adminRedeemCodes.get({ params: { id: code.id } });
  await owner.api.adminRedeemCodes.update({
    params: { id: code.id },
    body: {
      code: CODE,
      note: 'For the other fair',
      credits: 5,
      uses_total: 9,
      min_age_days: 0,
      starts_at: null,
      ends_at: null,
      enabled: true,
      updated_at: row.updated_at,
    },
  });
  await ann.api.redeem.redeem({ body: { code: CODE } });
  await harness.set({ vpn_provider_key: SECRET, discord_client_secret: SECRET });
  const order = await world.order();
  await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(order)));
  // One of a reward on hold, with a code for its subject.
  const held = crypto.randomUUID();
  await harness.db.uow.run(async (tx) => {
    const { ledger } = harness.host.services;
    const { holdId, txId } = await ledger.holdReward(tx, {
      userId: ann.id,
      amount: 5,
      reference: 'held:side',
      kind: 'reward.held',
      subject: CODE,
      source: 'system:reward.redeem',
    });
    await tx.abuse.addHeld({
      id: held,
      userId: ann.id,
      source: 'redeem',
      amount: 5,
      reference: 'held:side',
      subject: CODE,
      pool: null,
      holdId,
      txId,
      cause: 'score',
      score: 80,
      reasons: [],
      releaseMs: null,
      createdMs: harness.clock.now(),
      countedDay: '2026-01-01',
    });
  });
  ids = [ann.id, code.id, order, held, world.packageId];
});
afterAll(() => world.close());

/** Everything that somebody can read: each question of the contract, about each id. */
async function readAll(person: Person): Promise<Map<string, string>> {
  const read = new Map<string, string>();
  const questions = ENDPOINTS.filter(
    ({ method, format, name }) =>
      method === 'GET' && !['events', 'redirect', 'file'].includes(format ?? 'json') && name !== 'twoFactor.kill',
  );
  for (const endpoint of questions) {
    for (const id of endpoint.path.includes(':') ? ids : ['']) {
      const params = Object.fromEntries(
        [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? '', name === 'page' ? 'privacy' : id]),
      );
      const response = await world.harness.http(endpointUrl(endpoint, { params }), {
        headers: { Cookie: `__Host-spawnpoint=${person.secret}`, 'X-Forwarded-For': `203.0.113.${read.size % 250}` },
      });
      read.set(`${endpoint.name} ${id}`, await response.text());
    }
  }
  return read;
}

describe('what a permission hides', () => {
  test.each(STAFF.map((permission) => [permission] as const))(
    'S4 T59 staff with %s alone find nothing in lists, log, statements, exports and errors that its owner’s right would hide',
    async (permission) => {
      const person = await world.harness.person(`only${STAFF.indexOf(permission)}`, { permissions: [permission] });
      const read = await readAll(person);
      const leaks = MAY.filter(({ by }) => !by.includes(permission)).flatMap(({ text }) =>
        [...read].filter(([, answer]) => answer.includes(text)).map(([name]) => `${name} tells ${text}`),
      );
      expect(leaks).toEqual([]);
    },
  );

  test('S4 T59 who may list codes and read the log sees which code was made, but not so that it can be redeemed', async () => {
    const person = await world.harness.person('both', {
      permissions: ['admin.dashboard.components.activity.view', 'admin.redeem.codes.list'],
    });
    const { entries } = await person.api.adminOverview.activity();
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['redeemCodes.edit', 'SI••••'],
      ['redeemCodes.create', 'SI••••'],
    ]);
    const blind = await world.harness.person('blind', { permissions: ['admin.dashboard.components.activity.view'] });
    expect((await blind.api.adminOverview.activity()).entries).toEqual([]);
  });

  test('T59 the questions do read what they are about: the owner finds all of it but the secret', async () => {
    const owner = await world.harness.person('owner', { permissions: ['admin.root'] });
    const all = [...(await readAll(owner)).values()].join('\n');
    expect(MAY.map(({ text }) => all.includes(text))).toEqual([true, true, false]);
  });
});

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as z from 'zod/mini';
import { createApiApp, type AllHandlers } from '#server/http/implement.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { PERMISSIONS, type Permission } from '#shared/permissions.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { codeOf } from '#tests/support/coins.ts';
import { NOBODY, sampleParam } from '#tests/support/params.ts';
import { ROWS } from '#tests/specification/access.ts';

setDefaultTimeout(300_000);

let harness: Harness;
let userId: string;
/** So many people were made for commands with loosened declarations. */
let loosened = 0;

beforeAll(async () => {
  harness = await openHarness();
  userId = (await harness.person('somebody')).id;
});
afterAll(() => harness.close());

/** A caller with some permissions, past every check of the API. */
const caller = (permissions: readonly string[]): SignedIn => ({
  actor: { userId, sessionId: 's', username: 'somebody', permissions, verified: true },
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.7',
  userAgent: 'test',
  idempotency: null,
});

const WEBHOOK = { name: 'Shop', url: 'https://example.com/', events: ['*'], ordered: false, enabled: true };

type Services = Harness['host']['services'];
/** Every command of staff that a module has, with the permission typed by hand. */
const COMMANDS: readonly (readonly [string, Permission, (services: Services, ctx: SignedIn) => Promise<unknown>])[] = [
  [
    'the confirmation of a payment',
    'admin.payments.edit',
    ({ payments }, ctx) => payments.confirm(ctx, NOBODY, 'a reason'),
  ],
  [
    'the refund of a payment',
    'admin.payments.edit',
    ({ payments }, ctx) => payments.refund(ctx, NOBODY, { amount: 1, reason: 'a reason' }),
  ],
  [
    'the inbox of tickets',
    'admin.tickets.list',
    ({ ticketInbox }, ctx) => ticketInbox.list(ctx, { view: 'inbox' }, null),
  ],
  ['who redeemed a code', 'admin.redeem.codes.list', ({ redeem }, ctx) => redeem.redemptions(ctx, NOBODY, null)],
  ['the list of webhooks', 'admin.plugins.list', ({ webhooks }, ctx) => webhooks.staff.list(ctx)],
  ['the names of events', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.names(ctx)],
  ['opening a webhook', 'admin.plugins.list', ({ webhooks }, ctx) => webhooks.staff.get(ctx, NOBODY)],
  [
    'opening a webhook to change it',
    'admin.plugins.edit',
    ({ webhooks }, ctx) => webhooks.staff.forEditing(ctx, NOBODY),
  ],
  [
    'deliveries of a webhook',
    'admin.plugins.list',
    ({ webhooks }, ctx) => webhooks.staff.deliveries(ctx, NOBODY, null, null),
  ],
  ['a delivery of a webhook', 'admin.plugins.list', ({ webhooks }, ctx) => webhooks.staff.delivery(ctx, NOBODY)],
  ['making a webhook', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.create(ctx, WEBHOOK)],
  ['changing a webhook', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.update(ctx, NOBODY, WEBHOOK, 1)],
  ['a new secret of a webhook', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.rotate(ctx, NOBODY)],
  ['deleting a webhook', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.remove(ctx, NOBODY)],
  ['testing a webhook', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.test(ctx, NOBODY)],
  ['sending a delivery again', 'admin.plugins.edit', ({ webhooks }, ctx) => webhooks.staff.resend(ctx, NOBODY)],
  [
    'sending failed deliveries again',
    'admin.plugins.edit',
    ({ webhooks }, ctx) => webhooks.staff.resendFailed(ctx, NOBODY, 0),
  ],
  ['the list of plugins', 'admin.plugins.list', ({ plugins }, ctx) => plugins.list(ctx)],
  ['the settings of a plugin', 'admin.plugins.edit', ({ plugins }, ctx) => plugins.get(ctx, 'status-page')],
  ['turning a plugin on', 'admin.plugins.edit', ({ plugins }, ctx) => plugins.setOn(ctx, 'status-page', true)],
  ['setting a plugin', 'admin.plugins.edit', ({ plugins }, ctx) => plugins.configure(ctx, 'status-page', {}, 0)],
  [
    'uploading a plugin',
    'admin.plugins.edit',
    ({ pluginInstalling }, ctx) => pluginInstalling.upload(ctx, new Uint8Array()),
  ],
  ['looking at a plugin', 'admin.plugins.edit', ({ pluginInstalling }, ctx) => pluginInstalling.review(ctx, NOBODY)],
  [
    'installing a plugin',
    'admin.plugins.edit',
    ({ pluginInstalling }, ctx) =>
      pluginInstalling.install(ctx, NOBODY, { granted: [], credits: null, unsigned: false }),
  ],
  ['discarding a plugin', 'admin.plugins.edit', ({ pluginInstalling }, ctx) => pluginInstalling.discard(ctx, NOBODY)],
  ['removing a plugin', 'admin.plugins.edit', ({ pluginInstalling }, ctx) => pluginInstalling.remove(ctx, 'votes')],
  [
    'the list of image reports',
    'admin.image.reports.list',
    ({ imageReports }, ctx) => imageReports.staff.list(ctx, { offset: 0, limit: 1 }),
  ],
  [
    'opening an image report',
    'admin.image.reports.view',
    ({ imageReports }, ctx) => imageReports.staff.get(ctx, NOBODY),
  ],
  [
    'the image of a report',
    'admin.image.reports.view',
    ({ imageReports }, ctx) => imageReports.staff.getPicture(ctx, NOBODY, 'small'),
  ],
  [
    'the decision on an image report',
    'admin.image.reports.edit',
    ({ imageReports }, ctx) => imageReports.staff.decide(ctx, NOBODY, 'hide'),
  ],
  [
    'the decision on several image reports',
    'admin.image.reports.edit',
    ({ imageReports }, ctx) => imageReports.staff.decideMany(ctx, [NOBODY], 'delete'),
  ],
  [
    'a note of an image report',
    'admin.image.reports.edit',
    ({ imageReports }, ctx) => imageReports.staff.setNote(ctx, NOBODY, ''),
  ],
  [
    'allowing an image again',
    'admin.image.reports.edit',
    ({ imageReports }, ctx) => imageReports.staff.allow(ctx, NOBODY),
  ],
  [
    'deleting an image report',
    'admin.image.reports.delete',
    ({ imageReports }, ctx) => imageReports.staff.deleteOne(ctx, NOBODY),
  ],
  ['reports of tickets', 'admin.tickets.list', ({ ticketReports }, ctx) => ticketReports.view(ctx, 7)],
  ['reading canned replies', 'admin.tickets.view', ({ ticketInbox }, ctx) => ticketInbox.listCannedReplies(ctx)],
  [
    'changing several tickets',
    'admin.tickets.view',
    ({ ticketInbox }, ctx) => ticketInbox.changeMany(ctx, [NOBODY], { status: 'closed' }),
  ],
  ['opening a ticket', 'admin.tickets.view', ({ staffTickets }, ctx) => staffTickets.get(ctx, NOBODY, null)],
  [
    'answering a ticket',
    'admin.tickets.view',
    ({ staffTickets }, ctx) =>
      staffTickets.reply(ctx, NOBODY, { text: 'x', internal: false, status: 'answered', seen: 1 }),
  ],
  [
    'a file for a ticket',
    'admin.tickets.view',
    ({ attachments }, ctx) => attachments.addAsStaff(ctx, { name: '', file: new Uint8Array() }),
  ],
  ['a file of a ticket', 'admin.tickets.view', ({ attachments }, ctx) => attachments.getAsStaff(ctx, NOBODY, 'whole')],
  ['merging tickets', 'admin.tickets.view', ({ ticketMoves }, ctx) => ticketMoves.merge(ctx, NOBODY, 1)],
  [
    'splitting a ticket',
    'admin.tickets.view',
    ({ ticketMoves }, ctx) => ticketMoves.split(ctx, NOBODY, { seq: 2, subject: 'xxx' }),
  ],
  ['blocking a sender', 'admin.tickets.view', ({ ticketBlocks }, ctx) => ticketBlocks.block(ctx, NOBODY, '')],
  ['unblocking a sender', 'admin.tickets.view', ({ ticketBlocks }, ctx) => ticketBlocks.unblock(ctx, NOBODY)],
  ['reading a ticket', 'admin.tickets.view', ({ staffTickets }, ctx) => staffTickets.markRead(ctx, NOBODY, 1)],
  ['who writes in a ticket', 'admin.tickets.view', ({ presence }, ctx) => presence.getAsStaff(ctx, NOBODY)],
  ['writing in a ticket', 'admin.tickets.view', ({ presence }, ctx) => presence.setAsStaff(ctx, NOBODY, 'note')],
  ['changing a ticket', 'admin.tickets.view', ({ staffTickets }, ctx) => staffTickets.update(ctx, NOBODY, {})],
  [
    'the figures of tickets',
    'admin.dashboard.components.support.view',
    ({ staffTickets }, ctx) => staffTickets.summary(ctx, 0),
  ],
  [
    'listing pictures of the host',
    'admin.images.list',
    ({ images }, ctx) => images.staffLibrary.list(ctx, { search: '', after: null }),
  ],
  ['opening a picture of the host', 'admin.images.delete', ({ images }, ctx) => images.staffLibrary.get(ctx, NOBODY)],
  [
    'adding a picture of the host',
    'admin.images.create',
    ({ images }, ctx) => images.staffLibrary.create(ctx, { name: '', file: new Uint8Array() }),
  ],
  [
    'renaming a picture of the host',
    'admin.images.edit',
    ({ images }, ctx) => images.staffLibrary.rename(ctx, NOBODY, 'a.png'),
  ],
  [
    'deleting a picture of the host',
    'admin.images.delete',
    ({ images }, ctx) => images.staffLibrary.delete(ctx, NOBODY),
  ],
  ['asking a gateway again', 'admin.payments.edit', ({ payments }, ctx) => payments.requestSync(ctx, NOBODY)],
  ['retrying an event', 'admin.payments.edit', ({ payments }, ctx) => payments.retryEvent(ctx, NOBODY)],
  [
    'crediting an unknown payment',
    'admin.payments.edit',
    ({ payments }, ctx) => payments.creditUnmatched(ctx, NOBODY, { user: '', credits: 1, reason: 'a reason' }),
  ],
  [
    'dismissing an unknown payment',
    'admin.payments.edit',
    ({ payments }, ctx) => payments.dismissUnmatched(ctx, NOBODY, 'a reason'),
  ],
  [
    'an adjustment',
    'admin.users.edit',
    ({ people }, ctx) => people.adjust(ctx, NOBODY, { amount: 1, reason: 'a reason' }),
  ],
  ['a decision on a reward', 'admin.rewards.held.edit', ({ abuse }, ctx) => abuse.decide(ctx, NOBODY, 'release')],
  [
    'decisions on many rewards',
    'admin.rewards.held.edit',
    ({ abuse }, ctx) => abuse.decideMany(ctx, [NOBODY], 'release'),
  ],
  ['the refund of a purchase', 'admin.users.edit', ({ store }, ctx) => store.refund(ctx, NOBODY, NOBODY)],
  ['a kill switch', 'admin.economy.edit', ({ economy }, ctx) => economy.setEnabled(ctx, 'afk', true)],
  ['suspending a server', 'admin.servers.edit', ({ servers }, ctx) => servers.staff.suspend(ctx, NOBODY, 'a reason')],
  ['lifting a suspension', 'admin.servers.edit', ({ servers }, ctx) => servers.staff.unsuspend(ctx, NOBODY)],
  [
    'deleting a server',
    'admin.servers.delete',
    ({ servers }, ctx) => servers.staff.remove(ctx, NOBODY, { name: 'x', force: true }),
  ],
  ['comparing the panels', 'admin.servers.edit', ({ servers }, ctx) => servers.staff.requestReconcile(ctx)],
  [
    'adopting a server',
    'admin.servers.edit',
    ({ servers }, ctx) =>
      servers.staff.adopt(ctx, {
        panel: NOBODY,
        ref: '1',
        owner: 'somebody',
        days: null,
        locationId: null,
        eggId: null,
      }),
  ],
  ['reinstalling a server', 'admin.servers.edit', ({ servers }, ctx) => servers.staff.reinstall(ctx, NOBODY)],
  [
    'deleting an orphan',
    'admin.servers.delete',
    ({ servers }, ctx) => servers.staff.deleteOrphan(ctx, { panel: NOBODY, ref: '1', name: 'x' }),
  ],
  [
    'retrying an entry of the queue',
    'admin.server.queue.create',
    ({ servers }, ctx) => servers.staff.retry(ctx, NOBODY),
  ],
  [
    'cancelling an entry of the queue',
    'admin.server.queue.delete',
    ({ servers }, ctx) => servers.staff.cancel(ctx, NOBODY),
  ],
  [
    'deleting an entry of the queue',
    'admin.server.queue.delete',
    ({ servers }, ctx) => servers.staff.deleteEntry(ctx, NOBODY),
  ],
  ['reading a panel anew', 'admin.panels.edit', ({ panels }, ctx) => panels.requestSync(ctx, NOBODY)],
  ['testing a panel', 'admin.panels.edit', ({ panels }, ctx) => panels.test(ctx, NOBODY)],
  ['comparing the accounts of a panel', 'admin.panels.edit', ({ panels }, ctx) => panels.accounts(ctx, NOBODY)],
  [
    'binding accounts of a panel',
    'admin.panels.edit',
    ({ panels }, ctx) => panels.bindAccounts(ctx, NOBODY, { users: [NOBODY], unconfirmed: false }),
  ],
  ['changing a panel', 'admin.panels.edit', ({ panels }, ctx) => panels.update(ctx, NOBODY, { name: 'x' } as never)],
  [
    'a server made for a user',
    'admin.server.queue.create',
    ({ servers }, ctx) =>
      servers.staff.createFor(ctx, { owner: 'nobody', input: {} as never, withoutLimits: false, verifiedOnly: false }),
  ],
  ['removing a panel', 'admin.panels.delete', ({ panels }, ctx) => panels.remove(ctx, NOBODY, 'x')],
  [
    'importing from a panel',
    'admin.panels.edit',
    ({ panels }, ctx) => panels.importOffers(ctx, NOBODY, { offers: [], nests: [] }),
  ],
  ['turning off what vanished', 'admin.panels.edit', ({ panels }, ctx) => panels.turnOff(ctx, NOBODY, { offers: [] })],
];

describe('the second wall', () => {
  test.each(COMMANDS)(
    'S12 T61 %s asks for %s itself: every other permission together does not do',
    async (_, permission, command) => {
      const others = PERMISSIONS.map(({ value }) => value).filter(
        (value) => value !== permission && value !== 'admin.root',
      );
      expect(await codeOf(command(harness.host.services, caller(others)))).toBe('FORBIDDEN');
      expect(await codeOf(command(harness.host.services, caller([])))).toBe('FORBIDDEN');
      // With it the command gets as far as finding out that there is nothing of that id.
      expect(await codeOf(command(harness.host.services, caller([permission])))).not.toBe('FORBIDDEN');
    },
  );

  const LOOSENED = ROWS.filter(({ access, method }) => access.startsWith('admin.') && method !== 'GET');
  test.each(LOOSENED.map((row) => [`${row.method} ${row.path}`, row] as const))(
    'S12 T61 %s refuses who may do everything else, although its declaration lets everybody in',
    async (_, { method, path, access }) => {
      const endpoint = ENDPOINTS.find((each) => each.method === method && each.path === path);
      if (!endpoint) throw new Error(`${method} ${path} is written down, but not there`);
      const others = PERMISSIONS.map(({ value }) => value).filter(
        (value) => value !== access && value !== 'admin.root',
      );
      const name = `loose${(loosened += 1)}`;
      const person = await harness.person(name, { permissions: others });
      const declared = { ...endpoint };
      try {
        // Body and query may be anything as well: whoever lacks the right is refused before anything is done with it.
        Object.assign(endpoint, {
          access: 'signed-in',
          ...(endpoint.body ? { body: z.looseObject({}) } : {}),
          ...(endpoint.query ? { query: z.looseObject({}) } : {}),
        });
        const params = Object.fromEntries(
          [...path.matchAll(/:(\w+)/g)].map(([, each = '']) => [each, sampleParam(endpoint, each)]),
        );
        const body = { ids: [NOBODY], on: true, name: 'x', offers: [], nests: [], pairs: [], rules: [] };
        const response = await harness.http(endpointUrl(endpoint, { params }), {
          method,
          headers: {
            Origin: 'http://127.0.0.1',
            Cookie: `__Host-spawnpoint=${person.secret}`,
            ...(endpoint.upload ? { 'Content-Type': endpoint.upload.type } : {}),
            ...(endpoint.body ? { 'Content-Type': 'application/json' } : {}),
          },
          ...(endpoint.upload ? { body: 'a file' } : {}),
          ...(endpoint.body ? { body: JSON.stringify(body) } : {}),
        });
        expect([response.status, await response.json()]).toEqual([
          403,
          expect.objectContaining({ error_code: 'FORBIDDEN' }),
        ]);
      } finally {
        Object.assign(endpoint, declared);
      }
    },
  );

  test('S12 a new area of the admin pages has it by itself: create, edit, switch and delete ask once more', async () => {
    const open = ENDPOINTS.map((endpoint) => endpoint.name);
    expect(open).toContain('adminRedeemCodes.create');
    const { crudHandlers } = await import('#server/api/admin/crud-handlers.ts');
    const { RESOURCES } = await import('#shared/resources/index.ts');
    const { uow, long, clock, ids } = harness.host.services;
    for (const definition of Object.values(RESOURCES)) {
      const handlers = crudHandlers(definition, { uow, long, clock, ids }) as unknown as Record<
        string,
        (ctx: SignedIn, input: object) => Promise<unknown>
      >;
      for (const verb of ['create', 'update', 'setEnabled', 'remove', 'removeMany']) {
        const input = { params: { id: NOBODY }, body: { ids: [NOBODY], on: true, name: 'x' } };
        expect({
          area: definition.area,
          verb,
          code: await codeOf(handlers[verb]?.(caller(['admin.dashboard.view']), input) ?? Promise.resolve()),
        }).toEqual({ area: definition.area, verb, code: 'FORBIDDEN' });
      }
    }
  });
});

describe('the wall of answers', () => {
  test('S12 a handler that answers more than the contract names, deep inside as well, sends nothing of it', async () => {
    const secret = 'argon2id-leaked';
    const row = {
      id: NOBODY,
      username: 'ann',
      email: 'ann@example.com',
      status: 'active',
      role: { name: 'Member', color: '#888888', secret },
      credits: 1,
      debt: 0,
      verified: true,
      factor: false,
      spent: false,
      created_at: '2026-01-01T00:00:00.000Z',
      seen_at: null,
    };
    const careless = {
      list: () => ({
        rows: [{ ...row, password_hash: secret }],
        paging: { per_page: 25, total: 1, more: false, before: null, after: null },
        roles: [],
        secret,
      }),
    };
    const nothing = new Proxy({}, { get: () => () => Promise.reject(new Error('not a part of this test')) });
    const app = createApiApp({
      handlers: new Proxy(
        {},
        {
          get: (_, group) =>
            group === 'adminUsers'
              ? new Proxy(careless, { get: (own, name) => Reflect.get(own, name) ?? Reflect.get(nothing, name) })
              : nothing,
        },
      ) as AllHandlers,
      resolve: () => Promise.resolve(caller(['admin.users.list']).actor),
      flags: () => ({}) as never,
      takeLimit: () => 0,
      hash: (text) => text,
      log: harness.db.log,
    });
    const info = {
      requestId: 'r',
      address: '203.0.113.7',
      locale: 'en',
      secret: 'x',
      keepOpen: () => undefined,
    } as const;
    const answer = await (await app.fetch(new Request('http://test/api/admin/users'), info)).text();
    expect(answer).toContain('"username":"ann"');
    expect(answer).not.toContain(secret);
  });

  test('S12 whatever way an answer took, also one that was serialised before, it holds what its schema names and no more', async () => {
    const owner = await harness.person('reader', { permissions: ['admin.root'] });
    const asked = ENDPOINTS.filter(({ method, path, format }) => method === 'GET' && !path.includes(':') && !format);
    let whole = 0;
    for (const { name, path, response } of asked as readonly ((typeof ENDPOINTS)[number] & Endpoint)[]) {
      const headers = { Cookie: `__Host-spawnpoint=${owner.secret}` };
      const answer: unknown = await (await harness.http(path, { headers })).json();
      if (!response || typeof answer !== 'object' || Reflect.get(answer ?? {}, 'success') !== true) continue;
      whole += 1;
      expect([name, answer]).toEqual([
        name,
        { success: true, error_code: null, ...(response.parse(answer) as object) },
      ]);
    }
    expect(whole).toBeGreaterThan(30);
  });

  test('T59 no answer of the contract is described so loosely that unknown columns get through', () => {
    const loose: string[] = [];
    const walk = (schema: unknown, at: string, seen: Set<unknown>): void => {
      if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
      seen.add(schema);
      const def: unknown = Reflect.get((Reflect.get(schema, '_zod') as object) ?? {}, 'def');
      if (typeof def !== 'object' || def === null) return;
      const kind: unknown = Reflect.get(def, 'type');
      const rest: unknown = Reflect.get(def, 'catchall');
      if (kind === 'any' || kind === 'unknown' || (kind === 'object' && rest !== undefined))
        loose.push(`${at} (${String(kind)})`);
      for (const [name, part] of Object.entries(def)) {
        if (name === 'catchall') continue;
        const parts =
          name === 'shape'
            ? Object.entries(part as object)
            : Array.isArray(part)
              ? part.map((each, index) => [String(index), each] as const)
              : [[name, part] as const];
        for (const [key, each] of parts) walk(each, `${at}.${key}`, seen);
      }
    };
    for (const endpoint of ENDPOINTS) if (endpoint.response) walk(endpoint.response, endpoint.name, new Set());
    expect(loose).toEqual([]);
  });
});

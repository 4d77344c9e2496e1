import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createFeedSource } from '#server/update-feed.ts';
import { createUpdates } from '#server/modules/updates/index.ts';
import { createOutbound } from '#server/outbound.ts';
import { signFeed } from '../../../scripts/sign-feed.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Permission } from '#shared/permissions.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { compareVersions } from '#shared/updates.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { standIn, type StandIn } from '#tests/support/standin.ts';

// Shows attacks T55 (signed update feed) and behaviour 8.2 (updates, repository).

const codeOf = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
  );

let own: CryptoKeyPair;
let foreign: CryptoKeyPair;
beforeAll(async () => {
  const make = async () => (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  [own, foreign] = [await make(), await make()];
});
const publicKey = async ({ publicKey: key }: CryptoKeyPair) =>
  Buffer.from(await crypto.subtle.exportKey('raw', key)).toString('base64');

let h: Harness;
let feed: StandIn;
let root: Person;
let answer: string;
async function open(engine: Engine): Promise<void> {
  h = await openHarness({ engine, tasks: 'updates.' });
  feed = await standIn(() => ({ body: answer }));
  root = await h.person('olga', { permissions: ['admin.root'] });
  answer = await signFeed(JSON.stringify(edition()), own.privateKey);
  await h.set({ outbound_private_networks: true, update_feed_url: feed.url, update_feed_key: await publicKey(own) });
}
async function close(): Promise<void> {
  await feed.close();
  await h.close();
}

interface Feed {
  readonly sequence: number;
  readonly expires: string;
  readonly repository: string;
  readonly releases: readonly { version: string; date: string; notes: string; security: boolean }[];
}
const edition = (over: Partial<Feed> = {}): Feed => ({
  sequence: 5,
  expires: new Date(h.clock.now() + 30 * DAY).toISOString(),
  repository: 'https://code.example/spawnpoint',
  releases: [
    { version: '0.1.0', date: '2026-01-01', notes: 'https://code.example/0.1.0', security: true },
    { version: '0.2.0', date: '2026-02-01', notes: 'https://code.example/0.2.0', security: true },
    { version: '0.10.0', date: '2026-03-01', notes: 'https://code.example/0.10.0', security: false },
  ],
  ...over,
});
const publish = async (over: Partial<Feed> = {}, by = own) => {
  answer = await signFeed(JSON.stringify(edition(over)), by.privateKey);
};
const turnOn = () => h.set({ update_checks: true });
const check = () => root.api.adminUpdates.check();
const urgent = async () =>
  (await root.api.adminAttention.list()).items.find(({ key }) => key === 'securityUpdate') ?? null;

describe.each(ENGINES)('news of releases on %s', (engine) => {
  beforeEach(() => open(engine));
  afterEach(close);

  test('a feed is asked for once a day, says nothing about the installation, and names what is newer', async () => {
    await turnOn();
    await h.drainJobs();
    expect(feed.asked.map(({ method, url, body }) => [method, url.pathname + url.search, body])).toEqual([
      ['GET', '/', ''],
    ]);
    expect(feed.asked[0]?.headers['user-agent']).toBe('Spawnpoint');
    expect(feed.asked[0]?.headers).not.toHaveProperty('cookie');
    expect(await root.api.adminUpdates.get()).toMatchObject({
      outcome: 'ok',
      newest: { version: '0.10.0', security: false },
      behind: 2,
      security: true,
    });
    expect(await root.api.adminUpdates.repository()).toMatchObject({
      repository: 'https://code.example/spawnpoint',
      releases: [{ version: '0.10.0' }, { version: '0.2.0' }, { version: '0.1.0' }],
    });
    h.clock.advance(23 * HOUR);
    await h.drainJobs();
    expect(feed.asked).toHaveLength(1);
    h.clock.advance(2 * HOUR);
    await h.drainJobs();
    expect(feed.asked).toHaveLength(2);
  });

  test('T55: an older edition is not taken after a newer one, and an expired one never', async () => {
    await turnOn();
    await check();
    await publish({ sequence: 4, releases: [] });
    expect(await check()).toMatchObject({ outcome: 'replayed', behind: 2 });
    await publish({ sequence: 6, expires: new Date(h.clock.now()).toISOString(), releases: [] });
    expect(await check()).toMatchObject({ outcome: 'expired', behind: 2 });
    await publish({ sequence: 6, releases: [] });
    expect(await check()).toMatchObject({ outcome: 'ok', behind: 0, newest: null });
    // Of two checks at once the newer edition stays, in whatever order they end.
    const save = (sequence: number) =>
      h.db.uow.run(async (tx) => {
        const key = await publicKey(own);
        const content = JSON.stringify(edition({ sequence }));
        await tx.updates.save({ publicKey: key, checkedMs: 1, outcome: 'ok', edition: { sequence, content } });
      });
    await Promise.all([save(8), save(7)]);
    expect(await h.db.sql('SELECT sequence FROM update_feed')).toEqual([{ sequence: 8 }]);
  });
});

describe('news of releases', () => {
  beforeEach(() => open('sqlite'));
  afterEach(close);

  test('nobody is asked until the operator turns it on, whatever is entered and whoever wants it', async () => {
    await h.drainJobs();
    expect(await codeOf(check())).toBe('FEATURE_DISABLED');
    expect(feed.asked).toEqual([]);
    expect(await root.api.adminUpdates.get()).toMatchObject({ version: '0.1.0', enabled: false, outcome: null });
  });

  test('a release that closes a hole needs a person until it is installed or the check is turned off', async () => {
    await turnOn();
    await check();
    expect(await urgent()).toMatchObject({ data: { version: '0.2.0' }, since: '2026-02-01T00:00:00.000Z' });
    await h.set({ update_checks: false });
    h.clock.advance(HOUR);
    await h.drainJobs();
    expect(await urgent()).toBeNull();
    expect((await root.api.adminUpdates.repository()).releases).toEqual([]);
    await publish({ releases: edition().releases.filter(({ version }) => version !== '0.2.0') });
    await turnOn();
    await check();
    expect(await urgent()).toBeNull();
  });

  test('T55: what another key signed, or nobody, is not looked at, and what was known before stays', async () => {
    await turnOn();
    await check();
    const { feed: text, signature } = JSON.parse(answer) as { feed: string; signature: string };
    const bogus = { ...edition({ sequence: 9 }), releases: [] };
    const forged = [
      await signFeed(JSON.stringify(bogus), foreign.privateKey),
      JSON.stringify({ feed: JSON.stringify(bogus), signature }),
      JSON.stringify({ feed: `${text} `, signature }),
      JSON.stringify({ feed: text, signature: signature.slice(4) }),
      JSON.stringify({ feed: text, signature: '' }),
    ];
    for (const text of forged) {
      answer = text;
      h.clock.advance(HOUR);
      expect(await check()).toMatchObject({ outcome: 'signature', newest: { version: '0.10.0' }, behind: 2 });
    }
  });

  test('nothing that the former key signed is shown or keeps editions out once there is another key', async () => {
    await turnOn();
    await check();
    await h.set({ update_feed_key: await publicKey(foreign) });
    expect(await root.api.adminUpdates.get()).toMatchObject({ outcome: null, newest: null });
    await publish({ sequence: 1 }, foreign);
    expect(await check()).toMatchObject({ outcome: 'ok', behind: 2 });
  });

  test('an answer that is no feed, too long, a redirect, an error or none at all changes nothing that is known', async () => {
    await turnOn();
    await check();
    const broken: [string, string][] = [
      ['<h1>Hello</h1>', 'invalid'],
      ['{"feed":5,"signature":"x"}', 'invalid'],
      ['x'.repeat(70_000), 'unreachable'],
    ];
    for (const [body, outcome] of broken) {
      h.clock.advance(HOUR);
      answer = body;
      expect(await check()).toMatchObject({ outcome, behind: 2 });
    }
    feed.faults.push({ kind: 'status', status: 500 }, { kind: 'lost' }, { kind: 'status', status: 302 });
    while (feed.faults.length > 0) {
      h.clock.advance(HOUR);
      expect(await check()).toMatchObject({ outcome: 'unreachable', behind: 2 });
    }
  });

  test('a signed feed that names a link that is none, or a version that is none, is not taken', async () => {
    await turnOn();
    const of = edition();
    const wrong = [
      { ...of, repository: 'javascript:alert(1)' },
      { ...of, releases: [{ ...of.releases[0], notes: 'http://code.example/' }] },
      { ...of, releases: [{ ...of.releases[0], version: '1.0' }] },
      { ...of, sequence: 1.5 },
    ];
    for (const content of wrong) {
      const text = JSON.stringify(content);
      const bytes = new TextEncoder().encode(`spawnpoint-updates-v1\n${text}`);
      const signature = Buffer.from(await crypto.subtle.sign('Ed25519', own.privateKey, bytes)).toString('base64');
      answer = JSON.stringify({ feed: text, signature });
      h.clock.advance(HOUR);
      expect(await check()).toMatchObject({ outcome: 'invalid', newest: null });
    }
  });

  test('an address inside the own network is not asked unless the operator lets it', async () => {
    await turnOn();
    await h.set({ outbound_private_networks: false });
    expect(await check()).toMatchObject({ outcome: 'unreachable' });
    expect(feed.asked).toEqual([]);
  });

  test('each of the two parts has a permission of its own', async () => {
    const holder = (name: string, permission: Permission) => h.person(name, { permissions: [permission] });
    const updates = await holder('udo', 'admin.dashboard.components.system.updates');
    const repository = await holder('rita', 'admin.dashboard.components.githubrepo.view');
    expect(await codeOf(updates.api.adminUpdates.get())).toBeNull();
    expect(await codeOf(updates.api.adminUpdates.repository())).toBe('FORBIDDEN');
    expect(await codeOf(repository.api.adminUpdates.repository())).toBeNull();
    expect(await codeOf(repository.api.adminUpdates.get())).toBe('FORBIDDEN');
    expect(await codeOf(repository.api.adminUpdates.check())).toBe('FORBIDDEN');
    // Where it is read is for owners to say: whoever may change settings could otherwise have them ask anywhere.
    const editor = await holder('ed', 'admin.settings.edit');
    const { rows } = await root.api.adminSettings.list({});
    const revision = rows.find(({ key }) => key === 'update_checks')?.revision ?? 0;
    const changes = [{ key: 'update_checks', value: true, revision }];
    await editor.api.adminSettings.save({ body: { changes, confirmed: true } }).then(
      () => expect.unreachable(),
      (error: unknown) => expect((error as ApiError).fields).toHaveProperty('update_checks'),
    );
  });

  test('a feed that hangs is given up, and takes nothing with it', async () => {
    feed.faults.push({ kind: 'hang' });
    const settings = { current: () => ({ ...h.host.services.settings.current(), update_checks: true }) };
    const updates = createUpdates({
      uow: h.db.uow,
      clock: h.clock,
      log: h.log,
      settings,
      version: '0.1.0',
      source: createFeedSource(createOutbound({ settings, log: h.log }), 50),
    });
    await updates.runDaily();
    expect(await updates.get()).toMatchObject({ outcome: 'unreachable' });
  });
});

test('versions are compared by their numbers, and what is none is the oldest', () => {
  const sorted = ['0.9.0', '0.10.0', '1.0.0', '1.0.1'];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
  expect(compareVersions('latest', '0.0.0')).toBeLessThan(0);
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { machineTimer } from '#server/panel/index.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { furnish, httpPanelOver, shortTimer } from '#tests/support/http-panel.ts';
import { openFakePanel, type FakePanel } from '#tests/support/panels/index.ts';
import { seeded } from '#tests/support/random.ts';

const person = (at: number) => ({
  externalId: `user-${at}`,
  username: `player${at}`,
  email: `player${at}@example.test`,
  firstName: 'Ada',
  lastName: 'B',
});

/** A crowd of new players at a panel whose database deadlocks when accounts are made at the same time. */
describe.each(['pterodactyl', 'pelican'] as const)('a crowd at the panel, %s', (dialect) => {
  let fake: FakePanel;
  beforeEach(async () => {
    fake = await openFakePanel({
      dialect,
      clock: fakeClock(),
      rateLimits: { application: 1_000_000, client: 1_000_000 },
    });
    furnish(fake);
  });
  afterEach(() => fake.close());
  const posted = () => fake.calls.filter(({ method, path }) => method === 'POST' && path === '/users');

  test('P1 the stand-in deadlocks when several accounts are made at once without a password', async () => {
    const make = (at: number, password?: string) => {
      const { firstName, lastName, ...rest } = person(at);
      const names = dialect === 'pelican' ? {} : { first_name: firstName, last_name: lastName };
      const body = {
        email: rest.email,
        username: rest.username,
        external_id: rest.externalId,
        ...names,
        ...(password === undefined ? {} : { password }),
      };
      return fetch(`${fake.url}/api/application/users`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          Authorization: `Bearer ${fake.applicationKey}`,
        },
      });
    };
    const without = await Promise.all(Array.from({ length: 8 }, (_, at) => make(at)));
    expect(without.filter(({ status }) => status === 500).length).toBeGreaterThan(0);
    const codes = await Promise.all(
      without.filter(({ status }) => status === 500).map(async (each) => JSON.stringify(await each.json())),
    );
    expect(codes.every((code) => code.includes('QueryException'))).toBe(true);
    const having = await Promise.all(Array.from({ length: 8 }, (_, at) => make(100 + at, 'a long password')));
    expect(having.map(({ status }) => status)).toEqual(Array<number>(8).fill(201));
  });

  test('P1 twenty new players at once get their accounts one after the other, each in one call', async () => {
    const { panel } = httpPanelOver(fake);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => panel.ensureUser(person(at))));
    expect(answers.filter(({ outcome }) => outcome === 'ok')).toHaveLength(20);
    expect(posted().map(({ status }) => status)).toEqual(Array<number>(20).fill(201));
    expect(fake.calls).toHaveLength(20);
    // Without a password, so that the panel sends the mail with which its owner sets one.
    expect(
      posted().every(
        ({ body }) => JSON.stringify(body).includes('external_id') && !JSON.stringify(body).includes('password'),
      ),
    ).toBe(true);
  });

  test('P1 a deadlock with another process is repeated at once until the account is there', async () => {
    const random = seeded(7);
    const processes = [0, 1, 2].map(
      () => httpPanelOver(fake, { timer: machineTimer, random: () => random.int(1000) / 1000 }).panel,
    );
    const answers = await Promise.all(
      processes.flatMap((panel, at) => [0, 1, 2].map((each) => panel.ensureUser(person(at * 10 + each)))),
    );
    expect(answers.filter(({ outcome }) => outcome === 'ok')).toHaveLength(9);
    expect(posted().some(({ status }) => status === 500)).toBe(true);
    expect([...fake.state.users.values()].filter(({ externalId }) => externalId !== null)).toHaveLength(9);
  });

  test('P1 a database that goes on deadlocking is left to a later try, which costs none', async () => {
    const { panel } = httpPanelOver(fake);
    fake.failBy(({ method, path }) => (method === 'POST' && path === '/users' ? { kind: 'deadlock' } : null));
    expect(await panel.ensureUser(person(1))).toEqual({ outcome: 'unknown', away: 'busy' });
    expect(posted()).toHaveLength(6);
    fake.heal();
    expect(await panel.ensureUser(person(1))).toMatchObject({ outcome: 'ok' });
  });

  test('P1 an account that never gets an answer keeps the others waiting for a bounded time only', async () => {
    const timer = shortTimer();
    const { panel } = httpPanelOver(fake, { timer });
    fake.fail('hang', { call: 'POST /users' });
    const first = panel.ensureUser(person(1));
    await fake.hanging();
    const second = panel.ensureUser(person(2));
    await new Promise((resolve) => setImmediate(resolve));
    timer.expire();
    expect(await second).toEqual({ outcome: 'unavailable', away: 'busy' });
    expect((await first).outcome).toBe('unknown');
    await fake.release();
    expect(await panel.ensureUser(person(1))).toMatchObject({ outcome: 'ok' });
    expect(await panel.ensureUser(person(2))).toMatchObject({ outcome: 'ok' });
  });

  test('P10 the newest servers come in one call, the newest first', async () => {
    const { panel } = httpPanelOver(fake);
    expect(await panel.newestServers()).toEqual({ outcome: 'ok', value: [] });
    expect(fake.calls).toHaveLength(1);
    expect(fake.calls[0]?.query).toContain('sort=-id');
  });
});

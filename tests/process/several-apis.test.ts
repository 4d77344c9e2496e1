import { SQL } from 'bun';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { PostgresServer } from '#tests/support/postgres-server.ts';
import { RedisServer } from '#tests/support/redis-server.ts';
import { startGiftLoad, type HeldSession } from './gift-load.ts';
import { giversCode, Installation, until } from './installation.ts';

setDefaultTimeout(300_000);

/** Three machines: each a data folder and a process of its own, with one PostgreSQL, one Redis and one key. */
const postgres = new PostgresServer();
const redis = new RedisServer();
const hosts: Installation[] = [];
const CREDITS = 5_000;
const PERSON = { password: 'plough lantern meadow seven', first_name: 'A', last_name: 'B', terms: true as const };
const PEOPLE = ['owner', 'giver', 'other', 'receiver'] as const;
type Person = (typeof PEOPLE)[number];
const sessions = Object.fromEntries(PEOPLE.map((name) => [name, { secret: null }])) as Record<Person, HeldSession>;
const GIVERS = ['giver', 'other'] as const;

const host = (at: number): Installation => {
  const found = hosts[at];
  if (!found) throw new Error(`no host ${at}`);
  return found;
};
const api = (at: number, who: Person | HeldSession) => host(at).client(typeof who === 'string' ? sessions[who] : who);
const creditsOf = async (who: Person) => (await api(0, who).session.get()).billing.credits ?? NaN;
const idOf = async (who: Person): Promise<string> => String((await api(0, who).session.get()).user_info.id);
const ALL = [0, 1, 2] as const;

/** The status of something that only a session may read. */
const statusAt = async (at: number, { secret }: HeldSession, path = '/api/account/sessions'): Promise<number> =>
  (await fetch(host(at).url + path, { headers: { Cookie: `${SESSION_COOKIE}=${secret}` } })).status;
/** Waits until a status is that of every process: for less time than any of them would go by what it remembers. */
const untilEverywhere = (who: HeldSession, status: number, path?: string) =>
  until(
    () => Promise.all(ALL.map((at) => statusAt(at, who, path))),
    (found) => found.every((each) => each === status),
    20_000,
  );

beforeAll(async () => {
  await Promise.all([postgres.start(), redis.start()]);
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    TRUSTED_PROXIES: '127.0.0.1',
  };
  for (const _ of ALL) hosts.push(new Installation(env));
  await host(0).start();
  await api(0, 'owner').auth.register({
    body: { ...PERSON, username: 'owner', email: 'owner@example.com', setup: host(0).setup },
  });
  // Two more at once.
  await Promise.all([host(1).start(), host(2).start()]);
  for (const username of ['giver', 'other', 'receiver'] as const)
    await api(1, username).auth.register({ body: { ...PERSON, username, email: `${username}@example.com` } });
  const settings = {
    gift_min_account_days: '0',
    gift_daily_cap: '0',
    gift_fee_percent: '0',
    limit_login: String(LOGINS),
  };
  expect(await host(0).run('settings', 'set', ...Object.entries(settings).flat())).toMatchObject({ code: 0 });
  await api(2, 'owner').adminRedeemCodes.create({
    body: giversCode(CREDITS),
  });
  for (const [at, who] of GIVERS.entries()) await api(at, who).redeem.redeem({ body: { code: 'FOR-GIVERS' } });
  await watchRuns();
});
afterAll(async () => {
  for (const each of hosts) await each.remove();
  await redis.remove();
  await postgres.remove();
});

/** Runs something in the database itself. */
async function sql<T>(text: string): Promise<T[]> {
  const connection = new SQL(postgres.url, { max: 1 });
  try {
    return Array.from((await connection.unsafe(text)) as T[]);
  } finally {
    await connection.close();
  }
}
/** Has the database itself note each run of a task and each lease of a job. */
async function watchRuns(): Promise<void> {
  await sql(`CREATE TABLE test_runs (at BIGSERIAL, name TEXT, last_ms BIGINT, next_ms BIGINT);
    CREATE TABLE test_leases (id TEXT, kind TEXT, left_ms BIGINT);
    CREATE FUNCTION test_run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO test_runs (name, last_ms, next_ms) VALUES (NEW.name, NEW.last_ms, NEW.next_ms); RETURN NULL; END $$;
    CREATE FUNCTION test_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO test_leases VALUES (NEW.id, NEW.kind, CASE WHEN OLD.lease_token IS NULL THEN 0
        ELSE OLD.lease_until_ms - extract(epoch FROM clock_timestamp()) * 1000 END); RETURN NULL; END $$;
    CREATE TRIGGER test_runs AFTER UPDATE OF last_ms ON schedules FOR EACH ROW
      WHEN (NEW.last_ms IS DISTINCT FROM OLD.last_ms) EXECUTE FUNCTION test_run();
    CREATE TRIGGER test_leases AFTER UPDATE ON jobs FOR EACH ROW
      WHEN (NEW.lease_token IS NOT NULL AND NEW.lease_token IS DISTINCT FROM OLD.lease_token) EXECUTE FUNCTION test_lease()`);
}

/** A stream of live events of somebody at a process. `heard`: names of its events so far. */
async function openStream(at: number, { secret }: HeldSession) {
  const stop = new AbortController();
  const response = await fetch(`${host(at).url}/api/events`, {
    headers: { Cookie: `${SESSION_COOKIE}=${secret}` },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  const heard: string[] = [];
  const state = { isOver: false };
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      for (const [, name = ''] of decoder.decode(chunk).matchAll(/^event: (\S+)$/gm)) heard.push(name);
  })()
    .catch(() => undefined)
    .finally(() => (state.isOver = true));
  return {
    heard,
    isOver: () => state.isOver,
    async close() {
      stop.abort();
      await reading;
    },
  };
}
const give = (at: number, who: Person, recipient: string) =>
  api(at, who).gifts.send({ body: { recipient, amount: 1, total: 1 } });

test('T34 a session that is ended at one machine is ended at all of them, and its streams with it', async () => {
  const [kept, ended]: HeldSession[] = [{ secret: null }, { secret: null }];
  for (const session of [kept, ended])
    if (session) await api(0, session).auth.login({ body: { login: 'receiver', password: PERSON.password } });
  if (!kept || !ended) throw new Error('no sessions');
  // Each machine remembers it from now on.
  await untilEverywhere(ended, 200);
  const streams = await Promise.all(ALL.map((at) => openStream(at, ended)));
  await api(1, kept).account.endOtherSessions();
  await untilEverywhere(ended, 401);
  await until(
    async () => streams.map(({ isOver, heard }) => isOver() && heard.at(-1) === 'session'),
    (over) => over.every(Boolean),
    20_000,
  );
  expect(await Promise.all(ALL.map((at) => statusAt(at, kept)))).toEqual([200, 200, 200]);
  sessions.receiver.secret = kept.secret;
});

test('a right that is given or taken, and a ban, hold at every machine', async () => {
  const { rows } = await api(0, 'owner').adminRoles.list({ query: {} });
  const owner = rows.toSorted((a, b) => b.permissions - a.permissions)[0]?.id ?? '';
  const member = rows.find((row) => row.is_default)?.id ?? '';
  const other = await idOf('other');
  const path = '/api/admin/roles';
  await untilEverywhere(sessions.other, 403, path);
  await api(1, 'owner').adminAccounts.setRole({ params: { id: other }, body: { role: owner } });
  await untilEverywhere(sessions.other, 200, path);
  await api(2, 'owner').adminAccounts.setRole({ params: { id: other }, body: { role: member } });
  await untilEverywhere(sessions.other, 403, path);
  const stream = await openStream(1, sessions.other);
  await api(0, 'owner').adminAccounts.ban({
    params: { id: other },
    body: { reason: 'a test of bans', days: 1 },
  });
  await untilEverywhere(sessions.other, 401);
  await until(
    async () => stream.isOver(),
    (over) => over,
    20_000,
  );
  await api(2, 'owner').adminAccounts.unban({ params: { id: other } });
  sessions.other.secret = null;
  await api(2, 'other').auth.login({ body: { login: 'other', password: PERSON.password } });
});

test('what happens at one machine reaches the streams of all of them', async () => {
  const receiver = await idOf('receiver');
  const streams = await Promise.all(ALL.map((at) => openStream(at, sessions.receiver)));
  for (const at of ALL) {
    for (const stream of streams) stream.heard.length = 0;
    await give(at, 'giver', receiver);
    await until(
      async () => streams.map(({ heard }) => heard.includes('balance')),
      (heard) => heard.every(Boolean),
      20_000,
    );
  }
  for (const each of streams) await each.close();
});

/** Log-ins that an address may try in a minute. */
const LOGINS = 6;
let visitors = 0;
/** Tries more log-ins of a new address than all machines together would let through. Out: how many were not refused. */
async function tryLogins(): Promise<number> {
  visitors += 1;
  // Served with --local: from this machine, but not from where everybody else of the test comes.
  const address = `127.0.1.${visitors}`;
  let taken = 0;
  for (let round = 0; round <= LOGINS; round += 1)
    for (const at of ALL) {
      const { status } = await fetch(`${host(at).url}/api/auth/login`, {
        method: 'POST',
        headers: { Origin: host(at).url, 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify({ login: `nobody-${visitors}-${round}`, password: 'wrong' }),
      });
      expect([401, 422, 429]).toContain(status);
      if (status !== 429) taken += 1;
    }
  return taken;
}

test('T52 rate limits count together; with Redis gone each machine counts for itself and all goes on; then together again', async () => {
  expect(await tryLogins()).toBe(LOGINS);
  await redis.kill();
  expect(await tryLogins()).toBe(LOGINS * ALL.length);
  await give(1, 'giver', await idOf('receiver'));
  await untilEverywhere(sessions.receiver, 200);
  await redis.start();
  await until(tryLogins, (taken) => taken === LOGINS, 60_000);
});

/** Gifts at all machines in turn; where one does not answer, the same gift goes to the next. */
async function startLoad(urls = () => hosts.map(({ url }) => url)) {
  let next = 0;
  const load = startGiftLoad({
    url() {
      const all = urls();
      next += 1;
      return all[next % all.length] ?? '';
    },
    givers: GIVERS.map((who) => sessions[who]),
    recipient: await idOf('receiver'),
    polled: sessions.owner,
  });
  return {
    ...load,
    /** Everybody was answered since then. */
    async goesOn() {
      const then = load.answered();
      await until(
        async () => load.answered(),
        (now) => now.every((count, at) => count >= (then[at] ?? 0) + 6),
      );
    },
  };
}
const heldCredits = async () => {
  const [given = 0, other = 0, received = 0] = await Promise.all([...GIVERS, 'receiver' as const].map(creditsOf));
  return { givers: given + other, received };
};

test('T63 one machine is killed and one updated under load: no gift is lost or made twice, and only what the kill cut fails', async () => {
  const before = await heldCredits();
  const load = await startLoad();
  await load.goesOn();

  await host(1).end('SIGKILL');
  await load.goesOn();
  await host(1).start();
  await load.goesOn();

  // An update: the new one comes beside the old one, which then ends in order.
  expect(await host(2).end('SIGTERM')).toBe(0);
  await host(2).start();
  await load.goesOn();

  const given = await load.end();
  expect(load.failures()).toEqual([]);
  expect(given).toBeGreaterThan(10);
  expect(await heldCredits()).toEqual({ givers: before.givers - given, received: before.received + given });
});

test('PostgreSQL restarts, and crashes: the site answers again, nobody is logged out, nothing is lost, and streams hear on', async () => {
  const receiver = await idOf('receiver');
  const before = await heldCredits();
  const load = await startLoad();
  await load.goesOn();
  for (const stop of [() => postgres.restart(), () => postgres.crash()]) {
    const streams = await Promise.all(ALL.map((at) => openStream(at, sessions.receiver)));
    await stop();
    await until(
      () => Promise.all(ALL.map((at) => statusAt(at, sessions.receiver))),
      (found) => found.every((status) => status === 200),
    );
    for (const who of PEOPLE) expect([who, await statusAt(0, sessions[who])]).toEqual([who, 200]);
    await load.goesOn();
    await until(
      async () => streams.map(({ heard, isOver }) => isOver() || heard.includes('balance')),
      (heard) => heard.every(Boolean),
    );
    for (const each of streams) await each.close();
  }
  const given = await load.end();
  // While it was away there was no answer that could have been another one; and never one that somebody is logged out.
  expect(load.failures().filter((failure) => !failure.endsWith(' 503'))).toEqual([]);
  expect(await heldCredits()).toEqual({ givers: before.givers - given, received: before.received + given });
  // What ends at one machine after that ends at all.
  const streams = await Promise.all(ALL.map((at) => openStream(at, sessions.receiver)));
  await give(0, 'giver', receiver);
  await until(
    async () => streams.map(({ heard }) => heard.includes('balance')),
    (heard) => heard.every(Boolean),
    20_000,
  );
  for (const each of streams) await each.close();
});

test('serve --workers on PostgreSQL, beside the other machines: sessions and gifts are the same, and it is replaced under load', async () => {
  const workers = new Installation(host(0).environment);
  hosts.push(workers);
  await workers.start('--workers', '2');
  expect(await statusAt(3, sessions.receiver)).toBe(200);
  const before = await heldCredits();
  const load = await startLoad(() => [workers.url, host(0).url]);
  await load.goesOn();
  const stream = await openStream(3, sessions.receiver);
  process.kill(workers.pid ?? 0, 'SIGHUP');
  await until(
    async () => stream.isOver(),
    (over) => over,
  );
  await load.goesOn();
  await load.goesOn();
  const given = await load.end();
  expect(load.failures()).toEqual([]);
  expect(await heldCredits()).toEqual({ givers: before.givers - given, received: before.received + given });
  expect(await workers.end('SIGTERM')).toBe(0);
});

test('each run of a task and each attempt of a job was one process’s alone in all that, and the ledger holds', async () => {
  // All of them due at once, for three schedulers that look each second.
  for (let round = 0; round < 3; round += 1) {
    await sql(`WITH due AS (UPDATE schedules SET next_ms = 0 RETURNING name)
      INSERT INTO test_runs (name, last_ms, next_ms) SELECT name, 0, 0 FROM due`);
    await until(
      () => sql<{ name: string }>('SELECT name FROM schedules WHERE next_ms = 0 OR took_ms IS NULL'),
      (waiting) => waiting.length === 0,
    );
  }
  const runs = await sql<{ name: string; last_ms: string; next_ms: string }>(
    'SELECT name, last_ms, next_ms FROM test_runs ORDER BY at',
  );
  const names = new Set(runs.map(({ name }) => name));
  expect(names.size).toBeGreaterThan(20);
  for (const name of names) expect(runs.filter((run) => run.name === name && Number(run.last_ms) > 0)).not.toEqual([]);
  const dueMs = new Map<string, number>();
  const twice = runs.filter(({ name, last_ms, next_ms }) => {
    const isEarly = Number(last_ms) > 0 && Number(last_ms) < (dueMs.get(name) ?? 0);
    dueMs.set(name, Number(next_ms));
    return isEarly;
  });
  expect(twice).toEqual([]);
  const leases = await sql<{ kind: string; left_ms: string }>('SELECT kind, left_ms FROM test_leases');
  expect(leases.length).toBeGreaterThan(0);
  // Nobody took one that another process had.
  expect(leases.filter(({ left_ms }) => Number(left_ms) > 0)).toEqual([]);
  expect(await sql("SELECT kind FROM jobs WHERE state = 'dead'")).toEqual([]);
  expect(await host(0).run('ledger', 'verify')).toEqual({ code: 0, output: 'the ledger holds\n' });
});

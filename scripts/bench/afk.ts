import { join } from 'node:path';
import { openHost, type Host } from '#server/compose/host.ts';
import { readConfig } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemIds } from '#server/kernel.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createAfk, type Afk, type Timer } from '#server/modules/rewards/afk/index.ts';
import { DAY, SECOND } from '#shared/time.ts';
import { inFolder } from './folder.ts';
import { boundFigure, plainFigure, type Figure } from './report.ts';
import { processorSecondsOf } from './rounds.ts';

/** Streams; `BENCH_AFK_STREAMS` names another number, of which each second of a round has as many. */
const STREAMS = Number(process.env['BENCH_AFK_STREAMS'] ?? 50_000);
/** So many streams one core keeps up with, at most (seconds of it in a minute). */
const CORE_STREAMS = 100_000;
/** Streams get a challenge every 20 seconds; they were opened evenly over as many. */
const ROUND_S = 20;
const MINUTE_S = 60;
const START = Date.UTC(2026, 2, 10, 12);

/**
 * Figure h.afk: seconds of one core that a minute of AFK streams takes, by a clock that the benchmark moves:
 * challenges, beats and payouts, committed to disk.
 */
export function afkFigures(): Promise<Figure[]> {
  return withAfkCrowd(STREAMS, async ({ host, crowd, pass }) => {
    await pass(MINUTE_S);
    const before = { beats: crowd.beats(), minted: await minted(host) };
    const seconds = await processorSecondsOf(() => pass(MINUTE_S));
    const [beats, paid] = [crowd.beats() - before.beats, (await minted(host)) - before.minted];
    if (beats !== STREAMS * 3 || paid !== STREAMS)
      throw new Error(`of ${STREAMS} streams ${beats} beats and ${paid} payouts came`);
    // More than a minute of processor time for 100,000 would mean that one core cannot keep up.
    return [
      boundFigure('h.afk.minute', seconds, 's of a core', (MINUTE_S * STREAMS) / CORE_STREAMS),
      plainFigure('h.afk.share', seconds / MINUTE_S, 'of a core'),
    ];
  });
}

/** People on AFK whose growth is measured, as many in each second of a round. */
const GROWERS = 240;
/** Hours that are measured, after the first. */
const HOURS = 3;
/** What a day of 1,000 people who never leave has of minutes, and may add to the database (bytes). */
const DAY_MINUTES = 1000 * 24 * 60;
const MOST_A_DAY = 30_000_000;

/** Figure u: what a day of 1,000 people on AFK adds to the database, in MB, from some hours of fewer. */
export function growthFigures(): Promise<Figure[]> {
  return withAfkCrowd(GROWERS, async ({ host, pass }) => {
    await pass(60 * MINUTE_S);
    const before = await pagesOf(host);
    await pass(HOURS * 60 * MINUTE_S);
    const bytes = ((await pagesOf(host)) - before) / (GROWERS * HOURS * 60);
    return [
      plainFigure('u.afk.minute', bytes, 'bytes a minute of somebody'),
      boundFigure('u.afk.day', (bytes * DAY_MINUTES) / 1e6, 'MB a day of 1,000 people', MOST_A_DAY / 1e6),
    ];
  });
}

/** Bytes of the database that hold something. */
async function pagesOf({ database }: Host): Promise<number> {
  const [row] = await database.read(({ raw }) =>
    raw.all<{ bytes: number }>(
      `SELECT (page_count - freelist_count) * page_size AS bytes
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ),
  );
  return row?.bytes ?? 0;
}

interface AfkCrowd {
  readonly host: Host;
  readonly crowd: ReturnType<typeof crowdOf>;
  /** Lets seconds pass: every challenge that falls due is answered. */
  pass(seconds: number): Promise<void>;
}

/** A crowd with open streams, over a database on the disk, by a clock that is moved. Proves the ledger at its end. */
function withAfkCrowd(people: number, measure: (crowd: AfkCrowd) => Promise<Figure[]>): Promise<Figure[]> {
  return inFolder(async (folder) => {
    let now = START;
    const clock = { now: () => now };
    const config = { ...readConfig({ DATA_DIR: folder }), appUrl: 'http://127.0.0.1:3000' };
    const log = createLog('error', clock.now);
    const host = await openHost({
      config: { ...config, database: join(folder, 'afk.db') },
      log,
      clock,
      ids: systemIds,
      sample: false,
    });
    const timer = wheel(clock.now);
    const afk = createAfk({ ...host.services, timer });
    const crowd = await addCrowd(host, now, people);
    const second = async (work: () => Promise<unknown> = () => Promise.resolve()) => {
      now += SECOND;
      timer.run();
      await work();
      await crowd.answered();
    };
    for (let part = 0; part < ROUND_S; part += 1) await second(() => crowd.open(afk, part));
    const figures = await measure({
      host,
      crowd,
      async pass(seconds) {
        for (let at = 0; at < seconds; at += 1) await second();
      },
    });
    crowd.leave();
    await prove(host);
    await host.close();
    return figures;
  });
}

/** Credits that people have so far: posted, and not posted yet. */
async function minted({ database }: Host): Promise<number> {
  const [row] = await database.read(({ raw }) =>
    raw.all<{ credits: number }>(
      `SELECT (SELECT COALESCE(SUM(balance), 0) FROM ledger_balances WHERE account LIKE 'user:%')
         + (SELECT COALESCE(SUM(amount), 0) FROM ledger_accruals) AS credits`,
    ),
  );
  return row?.credits ?? 0;
}

async function prove({ services, database }: Host): Promise<void> {
  const faults = await database.uow.read((tx) => services.ledger.verify(tx));
  if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults.map(({ text }) => text).join(', ')}`);
}

/** People who are signed in. Each answers every challenge of its stream at once. */
async function addCrowd({ database }: Host, now: number, count: number) {
  const people: SignedIn[] = [];
  const role = await database.uow.read((tx) => tx.access.defaultRole());
  for (let from = 0; from < count; from += 1000) {
    await database.write(async ({ raw, tx }) => {
      for (let number = from; number < Math.min(count, from + 1000); number += 1) {
        const [userId, sessionId] = [systemIds.uuid(), systemIds.uuid()];
        const username = `player${number}`;
        await tx.identity.addUser({
          id: userId,
          username,
          email: `${username}@example.com`,
          passwordHash: '-',
          firstName: 'A',
          lastName: 'B',
          roleId: role.id,
          locale: 'en',
          verifiedMs: now,
          createdMs: now - 20 * DAY,
        });
        await raw.run(
          `INSERT INTO sessions (id, user_id, token_hash, device, user_agent, address, created_ms, seen_ms, expires_ms) VALUES (?, ?, ?, 'Chrome · Linux', '', '127.0.0.1', ?, ?, ?)`,
          [sessionId, userId, `hash${number}`, now, now, now + 30 * DAY],
        );
        const actor = { userId, sessionId, username, permissions: [], verified: true };
        people.push({
          actor,
          requestId: 'bench',
          locale: 'en',
          address: '127.0.0.1',
          userAgent: '',
          idempotency: null,
        });
      }
    });
  }
  return crowdOf(people);
}

function crowdOf(people: readonly SignedIn[]) {
  if (people.length % ROUND_S !== 0) throw new Error('a crowd has as many people in each second of a round');
  const line = new AbortController();
  let opened = 0;
  let [beats, due] = [0, 0];
  let ready: () => void = () => undefined;
  /** Streams opened in each second of a round: so many challenges are due in it. */
  const size = people.length / ROUND_S;
  async function sit(afk: Afk, ctx: SignedIn): Promise<void> {
    const { sessionId } = await afk.start(ctx);
    for await (const { event, data } of await afk.stream(ctx, sessionId, line.signal)) {
      if (event === 'ended') throw new Error(`a session ended: ${data.reason}`);
      if (event !== 'challenge') continue;
      await afk.beat(ctx, sessionId, data.challenge);
      beats += 1;
      if (beats >= due) ready();
    }
  }
  return {
    async open(afk: Afk, part: number): Promise<void> {
      const own = people.slice(part * size, (part + 1) * size);
      for (const ctx of own) void sit(afk, ctx).catch((error: unknown) => (console.error(error), process.exit(1)));
      opened += own.length;
    },
    /** Resolves when every challenge that is due was answered. */
    answered(): Promise<void> {
      due += opened === people.length && due >= people.length ? size : Math.min(size, people.length - due);
      return beats >= due ? Promise.resolve() : new Promise((resolve) => (ready = resolve));
    },
    beats: () => beats,
    leave: () => line.abort(),
  };
}

/** Timers by the second in which they fall due. */
function wheel(now: () => number): Timer & { run(): void } {
  const slots = new Map<number, Set<() => void>>();
  const slotOf = (ms: number) => Math.ceil(ms / SECOND);
  return {
    after(ms, run) {
      const slot = slotOf(now() + ms);
      const set = slots.get(slot) ?? new Set();
      slots.set(slot, set.add(run));
      return () => void set.delete(run);
    },
    run() {
      const slot = slotOf(now());
      const set = slots.get(slot);
      slots.delete(slot);
      for (const run of set ?? []) run();
    },
  };
}

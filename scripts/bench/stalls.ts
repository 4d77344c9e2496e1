import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { toCsv } from '#server/api/csv.ts';
import { statement, statementCsv, type StatementDeps } from '#server/api/statement.ts';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { createLeaderboard } from '#server/modules/leaderboard/index.ts';
import { createLedger, proveLedger } from '#server/modules/ledger/index.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import { inFolder } from './folder.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { fillSmallWorld, LONGEST, userId } from './small-world.ts';
import { openWorld } from './installation.ts';
import { watch } from './stall/watch.ts';

/** At most this share of what the same question stalls where it is asked in the thread, as it was. */
const MOST = 0.25;
const TURNS = 2;
/** People whose month is counted anew for the leaderboard: a tenth of a turn. */
const SWEPT = 5;
const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;
const WALLET = `user:${userId(0)}` as const;

/** The longest time (ms) in which the event loop did not turn while something ran. */
const stallOf = async (run: () => unknown, turns = TURNS): Promise<number> => (await watch(run, turns)).stallMs;
/** The same of what takes seconds in the thread: others' work counts little beside it, and once is enough. */
const stallInThread = (run: () => unknown): Promise<number> => stallOf(run, 1);

/** What the questions were before they were asked elsewhere, page by number and counted, on a connection in the thread. */
function before(path: string) {
  const db = new Database(path, { readonly: true });
  const side = (mine: string, other: string, sign: string) =>
    `SELECT * FROM (SELECT tx_id, seq, created_ms, ${other} AS counterpart, ${sign}amount AS amount, ${mine}_after AS after FROM ledger_postings WHERE ${mine} = ?1 ORDER BY created_ms DESC, tx_id DESC, seq DESC LIMIT ?2)`;
  const page = db.prepare<Record<string, string | number>, [string, number, number, number]>(
    `SELECT t.id, t.kind, t.reference, e.created_ms, e.counterpart, e.amount, e.after FROM (${side('source', 'destination', '-')} UNION ALL ${side('destination', 'source', '')}) AS e
     JOIN ledger_transactions t ON t.id = e.tx_id ORDER BY e.created_ms DESC, e.tx_id DESC, e.seq DESC LIMIT ?3 OFFSET ?4`,
  );
  const counts = ['source', 'destination'].map((mine) =>
    db.prepare<unknown, [string]>(`SELECT COUNT(*) FROM ledger_postings WHERE ${mine} = ?`),
  );
  const kinds = db.prepare<unknown, [string]>(
    'SELECT kind FROM ledger_postings WHERE source = ?1 UNION SELECT kind FROM ledger_postings WHERE destination = ?1 ORDER BY kind',
  );
  const rows = (offset: number, limit: number) => {
    const found = page.all(WALLET, offset + limit, limit, offset);
    for (const counted of counts) counted.all(WALLET);
    return found;
  };
  const reward = (other: string) =>
    `((kind >= 'reward.' AND kind < 'reward/') OR (${other} >= 'system:reward.' AND ${other} < 'system:reward/'))`;
  return {
    deepest: () => (rows(LONGEST - 50, 25), kinds.all(WALLET)),
    csv() {
      const all = [];
      for (let offset = 0; offset < LONGEST; offset += 1000) all.push(...rows(offset, 1000));
      return toCsv(all.map((row) => Object.values(row)));
    },
    sweep() {
      // As SQLite planned it once it knew the tables; prepared anew, because then it looks at them.
      const sum = (mine: string, other: string) =>
        `(SELECT COALESCE(SUM(amount), 0) FROM ledger_postings WHERE ${mine} = +?1 AND created_ms >= +?2 AND (tx_id, seq) <= (+?3, 0) AND ${reward(other)})`;
      const earned = db.prepare<unknown, [string, number, string]>(
        `SELECT ${sum('destination', 'source')} - ${sum('source', 'destination')}`,
      );
      for (let person = 0; person < SWEPT; person += 1)
        earned.all(`user:${userId(person)}`, systemClock.now() - 20 * DAY, 'g');
      earned.finalize();
    },
    close: () => db.close(),
  };
}

/**
 * Figures j: the longest time in which nobody is answered while a long question runs, beside the same question asked in
 * the thread.
 */
export function stallFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    await (await openWorld(folder)).close();
    const path = join(folder, 'spawnpoint.db');
    const begunMs = performance.now();
    fillSmallWorld(path, systemClock.now());
    const filled = (performance.now() - begunMs) / 1000;
    const log = createLog('error', systemClock.now, () => undefined);
    const open = (spawnReader?: () => Worker) => openDatabase({ path, bus: createBus(log), log, spawnReader });
    const database = open(() => new Worker(new URL('../../server/data/reader/reader.worker.ts', import.meta.url)));
    const ledger = createLedger({ clock: systemClock, ids: systemIds });
    const settings = { current: () => defaults };
    const deps: StatementDeps = { uow: database.uow, long: database.long, clock: systemClock, settings, ledger };
    const { signal } = new AbortController();
    const asked = { userId: userId(0), staff: false, signal };
    const leaderboard = createLeaderboard({ uow: database.uow, clock: systemClock, settings });
    // The boards of a fresh database count everybody once; what is measured are the turns after that.
    while (
      (await database.read(({ raw }) => raw.one<{ swept_ms: number | null }>('SELECT swept_ms FROM leaderboard_state')))
        ?.swept_ms === null
    )
      await leaderboard.refresh();
    const people = Array.from({ length: SWEPT }, (_, person) => userId(person));
    const deep = await deepPlace(deps, asked);

    const after = {
      proof: await stallOf(async () => assertProven(await proveLedger(database.long, signal))),
      statement: await stallOf(() => statement(deps, asked, { per_page: 25, before: deep })),
      kind: await stallOf(() => statement(deps, asked, { kind: 'gift' })),
      csv: await stallOf(async () => {
        let bytes = 0;
        for await (const text of (await statementCsv(deps, asked, {})).body) bytes += text.length;
        if (bytes < LONGEST * 50) throw new Error('the file is too short');
      }),
      sweep: await stallOf(() =>
        database.uow.read((tx) => tx.leaderboard.earned(people, systemClock.now() - 20 * DAY, { txId: 'g', seq: 0 })),
      ),
      turn: await stallOf(() => leaderboard.refresh()),
    };
    const whole = await database
      .write(({ raw }) => raw.run("UPDATE leaderboard_state SET sweep = '', swept_ms = NULL"))
      .then(() => stallOf(() => leaderboard.refresh()));
    const plain = before(path);
    const was = {
      proof: await stallInThread(() => database.uow.read(async (tx) => assertProven(await ledger.verify(tx)))),
      statement: await stallInThread(plain.deepest),
      csv: await stallInThread(plain.csv),
    };
    plain.close();
    const writer = new Database(path);
    // What SQLite notes of a host where people earn and nobody spends: all postings come from one account.
    writer.run('ANALYZE');
    writer.run("UPDATE sqlite_stat1 SET stat = '1000000 1000000 50 1 1' WHERE idx = 'ledger_postings_source'");
    writer.close();
    const known = before(path);
    const wasSweep = await stallInThread(known.sweep);
    known.close();
    await database.close();
    return [
      growthFigure('j.proof', after.proof, was.proof, 'ms', MOST),
      growthFigure('j.statement', after.statement, was.statement, 'ms', MOST),
      growthFigure('j.csv', after.csv, was.csv, 'ms', MOST),
      growthFigure('j.sweep', after.sweep, wasSweep, 'ms', MOST),
      plainFigure('j.kind', after.kind, 'ms'),
      plainFigure('j.sweep.turn', after.turn, 'ms'),
      plainFigure('j.sweep.whole', whole, 'ms'),
      plainFigure('j.filled', filled, 's'),
    ];
  });
}

function assertProven(faults: readonly { readonly text: string }[]): void {
  if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults.map(({ text }) => text).join(', ')}`);
}

/** The cursor after which the oldest lines of the wallet stand. */
async function deepPlace(
  deps: StatementDeps,
  asked: { userId: string; staff: boolean; signal: AbortSignal },
): Promise<string> {
  const { rows } = await deps.uow.read((tx) => tx.ledger.history(`user:${asked.userId}`, { limit: LONGEST - 50 }));
  const cursor = rows.at(-1)?.cursor;
  if (!cursor) throw new Error('the long wallet is empty');
  return `${cursor.createdMs}.${cursor.txId}.${cursor.seq}`;
}

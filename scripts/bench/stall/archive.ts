import { statement, statementCsv, type StatementDeps } from '#server/api/statement.ts';
import { systemClock } from '#server/kernel.ts';
import { proveLedger } from '#server/modules/ledger/index.ts';
import { DAY } from '#shared/time.ts';
import { openWorld, type World } from '../installation.ts';
import { boundFigure, growthFigure, plainFigure, type Figure } from '../report.ts';
import { worldUserId } from '../world/money.ts';
import { inWorld, MOST_MS, readThrough } from './figures.ts';
import { percentile, watch } from './watch.ts';

/** The fewest days that stay in the tables: half of what a world holds is older. */
const DAYS = 90;
const QUIET_MS = 10_000;
const POLL_EVERY_MS = 10;
/** How much longer the slowest of a hundred reads may take beside the archive. */
const MOST_POLL = 3;

/**
 * Figures z: the archive of the ledger (decision 124) carried to its end in a believable world, run after run as the
 * scheduler begins them: how long that takes, what the tables take before and after it, for how long the event loop
 * stands still, what reads beside it take, and the longest statement and the proof afterwards.
 */
export const archiveFigures = (): Promise<Figure[]> => inWorld(figuresOf);

async function figuresOf(folder: string): Promise<Figure[]> {
  const spawnReader = () => new Worker(new URL('../../../server/data/reader/reader.worker.ts', import.meta.url));
  await readThrough(folder);
  const world = await openWorld(folder, { spawnReader });
  const task = world.host.services.tasks.find(({ name }) => name === 'ledger.archive');
  if (!task) throw new Error('there is no task for the archive');
  try {
    await world.host.services.settings.set(null, { ledger_archive_days: DAYS });
    const [before, wallet] = [await sizesOf(world), await walletOf(world)];
    const begun = (await stateOf(world)).transactions;
    const quiet = await reads(world, Bun.sleep(QUIET_MS));
    let [stallMs, ownMs, tookMs, runs] = [0, 0, 0, 0];
    const beside: number[] = [];
    for (let done = -1; done !== (await stateOf(world)).transactions;) {
      done = (await stateOf(world)).transactions;
      let once = { stallMs: 0, ownMs: 0, tookMs: 0 };
      const run = (async () => void (once = await watch(task.run, 1)))();
      beside.push(...(await reads(world, run)));
      stallMs = Math.max(stallMs, once.stallMs);
      ownMs = Math.max(ownMs, once.ownMs);
      tookMs += once.tookMs;
      runs += 1;
      console.error(`run ${runs}: ${JSON.stringify(await stateOf(world))}, ${Math.round(once.stallMs)} ms`);
    }
    const { transactions: all, blocks } = await stateOf(world);
    const transactions = all - begun;
    const [after, archived] = [await sizesOf(world), await walletOf(world)];
    if (archived.lines !== wallet.lines || archived.hash !== wallet.hash)
      throw new Error('the statement is not what it was before the archive');
    const proof = await proven(world);
    return [
      plainFigure('z.transactions', transactions, ''),
      plainFigure('z.blocks', blocks, ''),
      plainFigure('z.minutes', tookMs / 60_000, 'minutes'),
      plainFigure('z.rate', (transactions / tookMs) * 1000, 'transactions/s'),
      boundFigure('z.longest', stallMs, 'ms', MOST_MS),
      boundFigure('z.longest.own', ownMs, 'ms', MOST_MS),
      growthFigure('z.read', percentile(beside, 0.99), percentile(quiet, 0.99), 'ms', MOST_POLL),
      plainFigure('z.tables.before', before.ledger / 1e6, 'MB'),
      plainFigure('z.tables.after', after.ledger / 1e6, 'MB'),
      plainFigure('z.free', after.free / 1e6, 'MB'),
      plainFigure('z.bytes', (after.archive - before.archive) / transactions, 'bytes a transaction'),
      plainFigure('z.statement.deepest', archived.deepestMs, 'ms'),
      growthFigure('z.csv', archived.csvMs, wallet.csvMs, 'ms', MOST_POLL),
      plainFigure('z.proof', proof.tookMs / 1000, 's'),
      boundFigure('z.proof.longest.own', proof.ownMs, 'ms', MOST_MS),
    ];
  } finally {
    await world.close();
  }
}

const stateOf = ({ host }: World) => host.services.uow.read((tx) => tx.ledgerArchive.state());

/** Proves the ledger with its archive; throws where there are faults. */
async function proven({ host }: World) {
  const { signal } = new AbortController();
  return watch(async () => {
    const faults = await proveLedger(host.database.long, signal);
    if (faults.length > 0) throw new Error(faults.map(({ text }) => text).join('\n'));
  }, 1);
}

/** What the ledger's tables, its archive and free pages take, in bytes. */
async function sizesOf({ host }: World) {
  const rows = await host.database.readLong(
    ({ raw }) =>
      raw.all<{ name: string; bytes: number }>(
        `SELECT m.tbl_name AS name, SUM(s.pgsize) AS bytes FROM dbstat s JOIN sqlite_master m ON m.name = s.name
         WHERE m.tbl_name LIKE 'ledger%' AND s.aggregate = TRUE GROUP BY m.tbl_name`,
      ),
    { for: 'job', limitMs: 600_000 },
  );
  const free = await host.database.read(({ raw }) =>
    raw.one<{ bytes: number }>(
      'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size',
    ),
  );
  const sum = (names: readonly string[]) =>
    rows.filter(({ name }) => names.includes(name)).reduce((all, { bytes }) => all + bytes, 0);
  return {
    ledger: rows.reduce((all, { bytes }) => all + bytes, 0),
    archive: sum(['ledger_blocks', 'ledger_archived_references', 'ledger_archived_sums']),
    free: free?.bytes ?? 0,
  };
}

/** The longest wallet: its whole file, how long that takes, and its deepest page. */
async function walletOf({ host }: World) {
  const { uow, settings, ledger } = host.services;
  const deps: StatementDeps = { uow, long: host.database.long, clock: systemClock, settings, ledger };
  const asked = { userId: worldUserId(0), staff: false, signal: new AbortController().signal };
  const hash = new Bun.CryptoHasher('sha256');
  let lines = 0;
  const begunMs = performance.now();
  for await (const text of (await statementCsv(deps, asked, {})).body) {
    hash.update(text);
    lines += String(text).split('\r\n').length - 1;
  }
  const csvMs = performance.now() - begunMs;
  const deepMs = performance.now();
  // Behind everything that is younger than half of what the world holds.
  await statement(deps, asked, { per_page: 100, before: `${systemClock.now() - 170 * DAY}.z.0` });
  return { lines, hash: hash.digest('hex'), csvMs, deepestMs: performance.now() - deepMs };
}

/** How long short reads of the database take (ms) while something runs. */
async function reads({ host }: World, run: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { running: true };
  const done = run.finally(() => (state.running = false));
  while (state.running) {
    const begunMs = performance.now();
    await host.services.uow.read((tx) => tx.identity.findUser(worldUserId(times.length % 1000)));
    times.push(performance.now() - begunMs);
    await Bun.sleep(POLL_EVERY_MS);
  }
  await done;
  return times;
}

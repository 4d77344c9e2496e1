import { join } from 'node:path';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import { toCredits } from '#shared/credits.ts';
import { openPlainLedger } from './ledger-plain.ts';
import { ratioFigure, type Figure } from './report.ts';
import { alternatePair, secondsOf } from './rounds.ts';
import { inFolder } from './folder.ts';

const ACCOUNTS = 1000;
const CONCURRENCY = 16;
const TURNS = 7;
/** Transfers a turn. A fixed number, so that the tables of both sides grow alike. */
const TRANSFERS = 4000;

type Account = `user:${number}`;
type Move = (from: Account, to: Account, reference: string) => Promise<unknown>;

/** A repeatable row of whole numbers from 0 to `below` - 1 (a linear congruential generator). */
export function numbers(seed: number, below: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Transfers a second of one turn. Both sides get the same pairs. */
function turnOf(move: Move): (turn: number) => Promise<number> {
  return async (turn) => {
    const pick = numbers(turn, ACCOUNTS);
    const step = numbers(turn + 1000, ACCOUNTS - 1);
    const seconds = await secondsOf(TRANSFERS, CONCURRENCY, (number) => {
      const from = pick();
      return move(`user:${from}`, `user:${(from + 1 + step()) % ACCOUNTS}`, `bench:${turn}:${number}`);
    });
    return TRANSFERS / seconds;
  };
}

/** Figure c: durable transfers a second through the ledger's service, beside the same SQL written by hand. */
export function ledgerFigures(): Promise<Figure[]> {
  const log = createLog('info', systemClock.now, () => undefined);
  const ledger = createLedger({ clock: systemClock, ids: systemIds });
  const filled = async (path: string) => {
    const database = openDatabase({ path, bus: createBus(log), log });
    await database.migrate(systemClock.now());
    await database.uow.run(async (tx) => {
      for (let user = 0; user < ACCOUNTS; user += 1) {
        const postings = [
          { source: 'system:adjustment', destination: `user:${user}`, amount: toCredits(1_000_000) } as const,
        ];
        await ledger.transfer(tx, { kind: 'bench', reference: `bench:start:${user}`, postings });
      }
    });
    return database;
  };
  return inFolder(async (folder) => {
    const path = join(folder, 'plain.db');
    await (await filled(path)).close();
    const plain = openPlainLedger(path);
    const database = await filled(join(folder, 'ours.db'));
    const ours = turnOf((source, destination, reference) =>
      database.uow.run((tx) =>
        ledger.transfer(tx, { kind: 'bench', reference, postings: [{ source, destination, amount: toCredits(1) }] }),
      ),
    );
    const byHand = turnOf((from, to, reference) => plain.transfer(from, to, 1, reference));
    const rates = await alternatePair(TURNS, ours, byHand);
    const faults = await database.uow.read((tx) => ledger.verify(tx));
    if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults.map(({ text }) => text).join(', ')}`);
    plain.close();
    await database.close();
    return [ratioFigure('c.ledger.transfers', rates.a, rates.b, 'transfers/s', 0.5)];
  });
}

import { createLedger, createLedgerArchive } from '#server/modules/ledger/index.ts';
import type { Tx } from '#server/modules/tx.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { openTestDb, type Engine, type TestDb } from '#tests/support/db.ts';

/** Who has credits. */
export const USERS = ['ann', 'bob', 'cyd'];
/** Says to an archive to go on. */
export const NEVER = new AbortController().signal;

/** A ledger over a fresh database, with its archive and a clock that the test moves. */
export async function archiveWorld(kind: Engine) {
  const db = await openTestDb(kind);
  const clock = fakeClock();
  const ids = testIds();
  const ledger = createLedger({ clock, ids });
  /** `stepMs`: how long each step takes by the clock. `rests`: how often others had their turn. */
  const facts = { days: 90, stepMs: 0, rests: 0 };
  const rest = () => {
    facts.rests += 1;
    clock.advance(facts.stepMs);
    return Promise.resolve();
  };
  const archive = createLedgerArchive({ uow: db.uow, clock, days: () => facts.days, together: 4, rest });
  let count = 0;
  return {
    db,
    clock,
    ledger,
    archive,
    facts,
    /** Credits to a user, under a reference of its own. Out: the transaction's id. */
    async reward(userId: string, amount = 5, reference = `reward:${(count += 1)}`): Promise<string> {
      const postings = [
        { source: 'system:reward.afk', destination: `user:${userId}`, amount: toCredits(amount) },
      ] as const;
      const facts = { kind: 'reward.afk', reference, subject: 'minutes', actor: userId, postings };
      return (await db.uow.run((tx) => ledger.transfer(tx, facts))).id;
    },
  };
}
export type ArchiveWorld = Awaited<ReturnType<typeof archiveWorld>>;

/** What the archive holds, and how far it is. */
export const stateOf = (db: TestDb) => db.uow.read((tx) => tx.ledgerArchive.state());

/** The error code a command ends with. */
export async function codeOf(db: TestDb, work: (tx: Tx) => Promise<unknown>): Promise<string> {
  try {
    await db.uow.run(work);
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'none';
}

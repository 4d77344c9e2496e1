import { define, type Migration, type Step } from './migration.ts';

/**
 * The archive of the ledger (decision 124): old transactions of a user, up to 128 in a block, with what stays known of
 * them by itself: their references and what they came to.
 */
export const ledgerArchive: Migration = {
  name: '0218_ledger_archive',
  async up(step) {
    await define(step, [
      // One row. moving: 1 only within the transaction that moves rows, so that nobody else ever reads it. after: the
      // wallet behind which a pass over everybody goes on, for rows older than pass_ms; everything older than
      // done_ms is archived.
      `CREATE TABLE ledger_archive (
        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
        moving INTEGER NOT NULL CHECK (moving IN (0, 1)),
        pass_ms INTEGER NOT NULL,
        after TEXT NOT NULL,
        done_ms INTEGER NOT NULL,
        blocks INTEGER NOT NULL,
        transactions INTEGER NOT NULL
      )STRICT`,
      "INSERT INTO ledger_archive (id, moving, pass_ms, after, done_ms, blocks, transactions) VALUES (1, 0, 0, '', 0, 0, 0)",
      // first_ms to last_id: the places of its oldest and newest transaction. credits: what it moved into the wallet.
      // balance: of the wallet after it. hash: over all of it and the hash of the user's block before it.
      `CREATE TABLE ledger_blocks (
        id INTEGER NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        number INTEGER NOT NULL CHECK (number > 0),
        first_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        last_id TEXT NOT NULL,
        transactions INTEGER NOT NULL CHECK (transactions > 0),
        credits INTEGER NOT NULL,
        balance INTEGER NOT NULL,
        detail TEXT NOT NULL,
        hash TEXT NOT NULL
      )STRICT`,
      'CREATE UNIQUE INDEX ledger_blocks_user ON ledger_blocks (user_id, number)',
      // key: a hash of the reference (data/repos/ledger-blocks.ts).
      `CREATE TABLE ledger_archived_references (
        key TEXT NOT NULL PRIMARY KEY,
        block INTEGER NOT NULL REFERENCES ledger_blocks (id)
      )KEYED`,
      // What all archived postings of an account come to.
      `CREATE TABLE ledger_archived_sums (
        account TEXT NOT NULL PRIMARY KEY,
        credits INTEGER NOT NULL
      )KEYED`,
    ]);
    for (const table of ['ledger_transactions', 'ledger_postings']) await deleteByArchiveOnly(step, table);
  },
};

/** Rows still never change, and only the archive takes them away. */
async function deleteByArchiveOnly({ raw, dialect }: Step, table: string): Promise<void> {
  if (dialect === 'sqlite') {
    await raw.run(`DROP TRIGGER ${table}_no_delete`);
    await raw.run(
      `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} WHEN NOT EXISTS (SELECT 1 FROM ledger_archive WHERE moving = 1)
       BEGIN SELECT RAISE(ABORT, 'append only'); END`,
    );
    return;
  }
  await raw.run(
    `CREATE OR REPLACE FUNCTION refuse_change_but_archive() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF EXISTS (SELECT 1 FROM ledger_archive WHERE moving = 1) THEN RETURN OLD; END IF; RAISE EXCEPTION 'append only'; END $$`,
  );
  await raw.run(`DROP TRIGGER ${table}_append_only ON ${table}`);
  await raw.run(
    `CREATE TRIGGER ${table}_append_only BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
  );
  await raw.run(
    `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change_but_archive()`,
  );
}

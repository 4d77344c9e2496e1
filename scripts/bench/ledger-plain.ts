import { Database } from 'bun:sqlite';

interface Waiting {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly resolve: (id: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The yardstick of figure c: the ledger's own statements, written by hand over prepared statements, with group commit
 * and every commit flushed to disk. It knows one kind of transfer, checks nothing but the balance and has no modules
 * around it. In: a file that has the ledger's tables.
 */
export function openPlainLedger(path: string): {
  transfer(from: string, to: string, amount: number, reference: string): Promise<string>;
  close(): void;
} {
  const db = new Database(path, { readwrite: true });
  for (const pragma of ['busy_timeout=5000', 'journal_mode=WAL', 'synchronous=FULL', 'foreign_keys=ON'])
    db.run(`PRAGMA ${pragma}`);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const save = db.prepare('SAVEPOINT command');
  const keep = db.prepare('RELEASE command');
  const undo = db.prepare('ROLLBACK TO command');
  const read = db.prepare<{ account: string; balance: number }, string[]>(
    'SELECT account, balance FROM ledger_balances WHERE account IN (?, ?, ?)',
  );
  const insert =
    db.prepare(`INSERT INTO ledger_transactions (id, kind, reference, subject, actor, reason, reverses, created_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const debit = db.prepare<{ balance: number }, [number, string, number]>(
    'UPDATE ledger_balances SET balance = balance + ? WHERE account = ? AND balance + ? >= 0 RETURNING balance',
  );
  const credit = db.prepare<
    { balance: number },
    [string, number]
  >(`INSERT INTO ledger_balances (account, balance) VALUES (?, ?)
    ON CONFLICT (account, shard) DO UPDATE SET balance = ledger_balances.balance + excluded.balance RETURNING balance`);
  const post =
    db.prepare(`INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  const count =
    db.prepare(`INSERT INTO ledger_days (day, account, kind, minted, burnt, moved, other, moves) VALUES (?, 'users', 'bench', 0, 0, ?, 0, 1)
    ON CONFLICT (day, account, kind, shard) DO UPDATE SET moved = ledger_days.moved + excluded.moved, moves = ledger_days.moves + 1`);

  function move({ from, to, amount }: Waiting, reference: string): string {
    const found = new Map(
      read.all(from, to, `debt:${from.slice(5)}`).map(({ account, balance }) => [account, balance]),
    );
    if ((found.get(from) ?? 0) < amount) throw new Error('too little');
    const id = Bun.randomUUIDv7();
    const at = Date.now();
    if (insert.run(id, 'bench', reference, null, null, null, null, at).changes !== 1)
      throw new Error('known reference');
    const left = debit.get(-amount, from, -amount);
    const now = credit.get(to, amount);
    if (!left || !now) throw new Error('refused');
    post.run(id, 0, from, to, amount, left.balance, now.balance, at, 'bench');
    count.run(new Date(at).toISOString().slice(0, 10), amount);
    return id;
  }

  let queue: { waiting: Waiting; reference: string }[] = [];
  let pumping = false;
  function batch(taken: typeof queue): void {
    const settle: (() => void)[] = [];
    begin.run();
    try {
      for (const { waiting, reference } of taken) {
        save.run();
        try {
          const id = move(waiting, reference);
          settle.push(() => waiting.resolve(id));
        } catch (error) {
          undo.run();
          settle.push(() => waiting.reject(error));
        }
        keep.run();
      }
      commit.run();
    } catch (error) {
      rollback.run();
      for (const { waiting } of taken) waiting.reject(error);
      return;
    }
    for (const done of settle) done();
  }
  async function pump(): Promise<void> {
    while (queue.length > 0) {
      const taken = queue;
      queue = [];
      batch(taken);
      // Those who were answered may ask again and so share the next commit.
      await Promise.resolve();
    }
    pumping = false;
  }
  return {
    transfer: (from, to, amount, reference) =>
      new Promise((resolve, reject) => {
        queue.push({ waiting: { from, to, amount, resolve, reject }, reference });
        if (pumping) return;
        pumping = true;
        queueMicrotask(() => void pump());
      }),
    close: () => db.close(),
  };
}

import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { createRunner } from '#server/jobs/runner.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { enqueue } from '#server/modules/jobs/index.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import { toCredits } from '#shared/credits.ts';
import { archiveBefore } from './archive.ts';
import { testLog } from './log.ts';

/**
 * A process that moves credits until it is killed. Arguments: where the database is, as JSON; a name for this run;
 * `archive` where it archives them besides. Prints each reference after its commit: what was printed must be there
 * whatever happens.
 */
const place = JSON.parse(process.argv[2] ?? '{}') as { path?: string; url?: string };
const run = process.argv[3] ?? 'run';
const [clock, ids, log] = [systemClock, systemIds, testLog()];
const bus = createBus(log);
const { uow } = openDatabase({ ...place, bus, log });
const ledger = createLedger({ clock, ids });

async function bear(worker: number): Promise<void> {
  const user = `user:${worker}` as const;
  for (let n = 0; ; n += 1) {
    const reference = `${run}:${worker}:${n}`;
    await uow.run(async (tx) => {
      const kind = 'kill';
      await ledger.transfer(tx, {
        kind,
        reference,
        postings: [{ source: 'system:reward.afk', destination: user, amount: toCredits(5) }],
      });
      const { holdId } = await ledger.hold(tx, {
        userId: String(worker),
        amount: 3,
        reference: `${reference}:hold`,
        kind,
      });
      if (n % 3 === 0) await ledger.release(tx, holdId);
      if (n % 3 === 1)
        await ledger.capture(tx, holdId, { destination: 'system:store', kind, reference: `${reference}:capture` });
      // Small parts that are posted together, now and then.
      const part = { userId: `parts${worker}`, amount: 2, source: 'system:reward.afk', kind: 'parts' } as const;
      await ledger.accrue(tx, { ...part, by: `${run}:${worker}` });
      if (n % 5 === 4) await ledger.postAccrual(tx, part.userId);
      await enqueue(tx, ids, clock, { kind: 'pay', payload: { reference: `${reference}:job` } });
    });
    process.stdout.write(`${reference}\n`);
  }
}

const runner = createRunner({
  uow,
  clock,
  ids,
  bus,
  log,
  random: () => 0.5,
  handlers: {
    pay: {
      leaseMs: 60_000,
      async handle(payload) {
        const { reference } = payload as { reference: string };
        await uow.run(async (tx) => {
          if (await tx.ledger.byReference(reference)) return;
          await ledger.transfer(tx, {
            kind: 'job',
            reference,
            postings: [{ source: 'system:adjustment', destination: 'user:jobs', amount: toCredits(1) }],
          });
        });
      },
    },
  },
});
/** Moves everything that was said so far into the archive, again and again. */
async function archive(): Promise<never> {
  for (;;) {
    await Bun.sleep(1);
    await archiveBefore(uow, clock.now());
  }
}

runner.start();
await Promise.all([...[1, 2, 3, 4].map(bear), ...(process.argv[4] === 'archive' ? [archive()] : [])]);

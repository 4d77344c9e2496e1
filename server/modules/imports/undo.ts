import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { originReference, type ImportsDeps } from './deps.ts';
import type { ImportedRow, ImportRun } from './ports.ts';

/** Rows that are taken back in one transaction. */
const BATCH = 100;

/** Taking a run back while nobody who came with it has logged in (behaviour 9). */
export function createUndo(
  deps: ImportsDeps & {
    /** Whether the page wrote down already who asked for it. */
    readonly isAudited?: boolean;
    /** Hears how many of a kind were taken back. */
    readonly onStep?: (kind: ImportedRow['kind'], done: number) => void;
  },
) {
  const { uow, clock, ledger } = deps;

  /** Runs over the rows of a run, some at a time, each time from the first that is left. */
  async function eachBatch(
    run: ImportRun,
    kind: ImportedRow['kind'],
    work: (tx: Tx, row: ImportedRow) => Promise<boolean>,
  ): Promise<void> {
    let done = 0;
    for (let after = ''; ;) {
      const from = after;
      const rows = await uow.run(async (tx) => {
        const found = await tx.imports.listRowsOf(run.id, kind, from, BATCH);
        for (const row of found) if (await work(tx, row)) await tx.imports.deleteRow(run, kind, row.sourceId);
        return found;
      });
      done += rows.length;
      deps.onStep?.(kind, done);
      after = rows.at(-1)?.sourceId ?? '';
      if (rows.length < BATCH) return;
    }
  }

  /** Throws CONFLICT where one of those who came did anything since. */
  async function assertUntouched(run: ImportRun): Promise<void> {
    for (let after = ''; ;) {
      const from = after;
      const rows = await uow.read(async (tx) => {
        const found = await tx.imports.listRowsOf(run.id, 'user', from, BATCH);
        for (const { made, targetId } of found)
          if (made && (await tx.imports.isTouched(targetId))) throw new DomainError('CONFLICT');
        return found;
      });
      after = rows.at(-1)?.sourceId ?? '';
      if (rows.length < BATCH) return;
    }
  }

  async function removeUser(
    tx: Tx,
    run: ImportRun,
    { targetId, made, credits, sourceId }: ImportedRow,
  ): Promise<boolean> {
    const user = await tx.identity.lockUser(targetId);
    if (made && (await tx.imports.isTouched(targetId))) throw new DomainError('CONFLICT');
    const reference = `${originReference(run)}balance:${sourceId}`;
    const opening =
      credits > 0
        ? ((await tx.ledger.byReference(`${reference}:${run.id}`)) ?? (await tx.ledger.byReference(reference)))
        : null;
    if (opening && (await tx.ledger.reversalOf(opening.id)) === null)
      await ledger.reverse(tx, opening.id, { reason: '' });
    if (!made || !user) return true;
    const name = `deleted-${deps.ids.hash(targetId).slice(0, 20)}`;
    const role = await tx.access.defaultRole();
    const nobody = { username: name, email: `${name}@deleted.invalid`, roleId: role.id };
    await tx.identity.setStatus(targetId, 'deleted', { reason: null, untilMs: null }, clock.now());
    await tx.deletions.erase(targetId, nobody, clock.now());
    if (!(await tx.deletions.hasRecords(targetId))) await tx.deletions.removeUser(targetId);
    tx.touch(`account:${targetId}`, `user:${targetId}`);
    return true;
  }

  return {
    /**
     * Takes back what a run brought: servers are let go of (their panel keeps them), credits go back to where they came
     * from, accounts go. Killed and begun again it goes on. Throws NOT_FOUND; CONFLICT where somebody who came has
     * logged in or moved credits meanwhile, and INSUFFICIENT_CREDITS where somebody who was here before has spent what
     * came to them: then nothing of theirs is taken back.
     */
    async undo(ctx: Ctx | null, runId: string): Promise<void> {
      const run = await uow.read((tx) => tx.imports.findRun(runId));
      if (!run || run.state === 'checked') throw new DomainError('NOT_FOUND');
      await assertUntouched(run);
      if (!deps.isAudited) await uow.run((tx) => writeAudit(tx, deps, ctx, { action: 'imports.undo', target: runId }));
      await eachBatch(run, 'ticket', (tx, row) => tx.imports.forget('ticket', row.targetId));
      await eachBatch(run, 'code', (tx, row) => tx.imports.forget('code', row.targetId));
      await eachBatch(run, 'package', (tx, row) => tx.imports.forget('package', row.targetId));
      await eachBatch(run, 'payment', (tx, row) => tx.imports.forget('payment', row.targetId));
      await eachBatch(run, 'server', async (tx, row) => {
        if (row.made) await tx.imports.forgetServer(row.targetId);
        return true;
      });
      await eachBatch(run, 'user', (tx, row) => removeUser(tx, run, row));
      await uow.run((tx) => tx.imports.updateRun(runId, { state: 'undone', fault: null }, clock.now()));
    },
  };
}

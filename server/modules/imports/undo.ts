import { DomainError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { originReference, type ImportsDeps } from './deps.ts';
import type { ImportedRow, ImportRun } from './ports.ts';
import { forgetRole, decidedRolesOf } from './roles.ts';

/** Rows that are undone in one transaction, for which players of a running server wait. */
const BATCH = 20;

/** Taking a run back while nobody who came with it has logged in (behaviour 9). */
export function createUndo(
  deps: ImportsDeps & {
    /** Whether the page wrote down already who asked for it. */
    readonly isAudited?: boolean;
    /** Hears how many of a kind were taken back. */
    readonly onStep?: (kind: ImportedRow['kind'], done: number) => void;
  },
) {
  const { uow, clock } = deps;

  /** Runs over the rows of a run, some at a time. Out: how many stay. */
  async function eachBatch(
    run: ImportRun,
    kind: ImportedRow['kind'],
    work: (tx: Tx, row: ImportedRow) => Promise<boolean>,
  ): Promise<number> {
    let done = 0;
    let stayed = 0;
    for (let after = ''; ;) {
      const from = after;
      const { rows, kept } = await uow.run(async (tx) => {
        const found = await tx.imports.listRowsOf(run.id, kind, from, BATCH);
        let stays = 0;
        for (const row of found)
          if (await work(tx, row)) await tx.imports.deleteRow(run, kind, row.sourceId);
          else stays += 1;
        return { rows: found, kept: stays };
      });
      done += rows.length;
      stayed += kept;
      deps.onStep?.(kind, done);
      after = rows.at(-1)?.sourceId ?? '';
      if (rows.length < BATCH) return stayed;
    }
  }

  /**
   * Throws CONFLICT where one of those who came did anything since, INSUFFICIENT_CREDITS where somebody who was here
   * before has spent what came to them.
   */
  async function assertUntouched(run: ImportRun): Promise<void> {
    for (let after = ''; ;) {
      const from = after;
      const rows = await uow.read(async (tx) => {
        const found = await tx.imports.listRowsOf(run.id, 'user', from, BATCH);
        for (const row of found) await assertRemovable(tx, run, row);
        return found;
      });
      after = rows.at(-1)?.sourceId ?? '';
      if (rows.length < BATCH) return;
    }
  }

  return {
    /**
     * Takes back what a run brought: servers are let go of (their panel keeps them), credits go back to where they came
     * from, accounts go. Throws NOT_FOUND; CONFLICT where somebody who came has logged in or moved credits since, or
     * got more by another run, and INSUFFICIENT_CREDITS where somebody who was here before has spent what came to them:
     * then nothing was taken back. Once begun it is carried through, also after a kill: who does one of these meanwhile
     * stays with everything that is theirs, and the run says so (`some_stayed`).
     */
    async undo(ctx: Ctx | null, runId: string): Promise<void> {
      const run = await uow.read((tx) => tx.imports.findRun(runId));
      if (!run || run.state === 'checked') throw new DomainError('NOT_FOUND');
      if (run.fault !== 'undo_stopped') await assertUntouched(run);
      await uow.run(async (tx) => {
        await tx.imports.updateRun(runId, { fault: 'undo_stopped' }, clock.now());
        if (!deps.isAudited) await writeAudit(tx, deps, ctx, { action: 'imports.undo', target: runId });
      });
      let left = await eachBatch(run, 'user', (tx, row) => removeUser(deps, tx, run, row));
      for (const kind of ['ticket', 'code', 'package', 'payment', 'server'] as const)
        left += await eachBatch(run, kind, async (tx, row) =>
          (await tx.imports.isOfComer(run.id, row.targetId)) ? false : forgetThing(tx, row),
        );
      for (const { id, made } of decidedRolesOf(run) ?? [])
        if (made && !(await uow.run((tx) => forgetRole(tx, deps, id)))) left += 1;
      await uow.run((tx) =>
        tx.imports.updateRun(runId, { state: 'undone', fault: left > 0 ? 'some_stayed' : null }, clock.now()),
      );
    },
  };
}

/**
 * Takes somebody back with everything of the run that is theirs, all of it or nothing: who logs in at the same moment
 * does so before, and keeps it, or after, and is unknown. Out: false where they stay.
 */
async function removeUser(deps: ImportsDeps, tx: Tx, run: ImportRun, row: ImportedRow): Promise<boolean> {
  const { targetId, made } = row;
  const user = await tx.identity.lockUser(targetId);
  await tx.ledger.lock(['system:import', `user:${targetId}`]);
  try {
    await assertRemovable(tx, run, row);
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
  // That they came along is forgotten with all others of their kind.
  for (const thing of await tx.imports.listRowsOfOwner(run.id, targetId)) await forgetThing(tx, thing);
  await reverseOpening(deps, tx, run, row);
  tx.touch(`account:${targetId}`, `user:${targetId}`);
  if (!made || !user) return true;
  const name = `deleted-${deps.ids.hash(targetId).slice(0, 20)}`;
  const role = await tx.access.defaultRole();
  const nobody = { username: name, email: `${name}@deleted.invalid`, roleId: role.id };
  await tx.identity.setStatus(targetId, 'deleted', { reason: null, untilMs: null }, deps.clock.now());
  await tx.deletions.erase(targetId, nobody, deps.clock.now());
  if (!(await tx.deletions.hasRecords(targetId))) await tx.deletions.removeUser(targetId);
  return true;
}

/** Throws CONFLICT, INSUFFICIENT_CREDITS as `undo` does, for one of those who came. */
async function assertRemovable(tx: Tx, run: ImportRun, { made, targetId, credits }: ImportedRow): Promise<void> {
  if (made && (await tx.imports.isTouched(targetId, run.id))) throw new DomainError('CONFLICT');
  if (!made && (await tx.ledger.balance(`user:${targetId}`)) < credits) throw new DomainError('INSUFFICIENT_CREDITS');
}

/** Posts back what somebody came with, once. */
async function reverseOpening(
  { ledger }: ImportsDeps,
  tx: Tx,
  run: ImportRun,
  { sourceId, credits }: ImportedRow,
): Promise<void> {
  const reference = `${originReference(run)}balance:${sourceId}`;
  const opening =
    credits > 0
      ? ((await tx.ledger.byReference(`${reference}:${run.id}`)) ?? (await tx.ledger.byReference(reference)))
      : null;
  if (opening && (await tx.ledger.reversalOf(opening.id)) === null)
    await ledger.reverse(tx, opening.id, { reason: '' });
}

/** Out: false where it stays, because somebody paid for it or used it since. */
async function forgetThing(tx: Tx, { kind, made, targetId }: ImportedRow): Promise<boolean> {
  if (kind === 'server') return !made || tx.imports.forgetServer(targetId);
  if (kind === 'user' || kind === 'setting') return false;
  return tx.imports.forget(kind, targetId);
}

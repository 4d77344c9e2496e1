import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import type { ImportKind, ImportReason } from '#shared/imports.ts';
import type { Clock, Ids, Log, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import type { IncomingFiles } from '../uploads/index.ts';
import { createImportCommands, uploadOf } from './commands.ts';
import type { ImportFiles, ImportRun, ImportWorker } from './ports.ts';
import { isGivable, decidedRolesOf } from './roles.ts';
import type { ImportWork } from './tasks.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly files: ImportFiles;
  readonly incoming: IncomingFiles;
  readonly worker: ImportWorker;
  /** Outlives the service while the installation is replaced. */
  readonly work: ImportWork;
}
export type Imports = ReturnType<typeof createImports>;

/** Runs that the page lists. */
const RUNS = 50;
/** How long files that were brought, and what runs read of them, are kept for who goes on with them. */
const KEEP_MS = 7 * DAY;

/**
 * Whether what a run read, with hashes of passwords, is kept for nobody: it was undone, or nobody has come back to one
 * that is not over. Of one that is over the report alone is left.
 */
export const isForgotten = ({ state, updatedMs }: ImportRun, nowMs: number): boolean =>
  state === 'undone' || (state !== 'done' && updatedMs < nowMs - KEEP_MS);

/**
 * Coming over from another dashboard by the browser: a check that changes nothing, then the import, and the way back.
 * All of it is the owner’s: an import makes users, gives roles and opens balances (decision 082).
 */
export function createImports(deps: Deps) {
  const { uow, clock, files, work } = deps;
  const running = () => work.running ?? files.running();

  async function getRun(id: string): Promise<ImportRun> {
    const run = await uow.read((tx) => tx.imports.findRun(id));
    if (!run) throw new DomainError('NOT_FOUND');
    return run;
  }
  function viewOf(run: ImportRun) {
    const upload = uploadOf(run);
    return {
      run,
      kept: files.hasRun(run.id),
      isRunning: running()?.runId === run.id,
      hasUpload: upload !== null && files.hasUpload(upload),
    };
  }

  return {
    /** The newest runs, the panels that servers may come from, what is being done, and how the last task ended. */
    list: permitted('admin.root', async (_ctx: SignedIn) => ({
      running: running(),
      last: work.last,
      ...(await uow.read(async (tx) => ({
        runs: await tx.imports.listRuns(RUNS),
        panels: (await tx.panels.list()).filter(({ enabled }) => enabled).map(({ id, name }) => ({ id, name })),
      }))),
    })),
    /** One run, with the roles that users may come to, and those that they got. Throws NOT_FOUND. */
    get: permitted('admin.root', async (_ctx: SignedIn, id: string) => {
      const run = await getRun(id);
      const roles = await uow.read((tx) => tx.access.listRoles());
      const nameOf = (roleId: string) => roles.find((role) => role.id === roleId)?.name ?? '';
      const targets = roles
        .filter((role) => !role.isDefault && isGivable(role))
        .map(({ id: roleId, name, permissions }) => ({ id: roleId, name, permissions: [...permissions] }));
      const decided = decidedRolesOf(run)?.map((role) => ({ name: role.name, role: nameOf(role.id) })) ?? null;
      return { ...viewOf(run), targets, decided };
    }),
    /** What a run says of single rows. Throws NOT_FOUND, also where the file of the run is gone. */
    notes: permitted(
      'admin.root',
      async (
        _ctx: SignedIn,
        id: string,
        asked: {
          readonly kind?: ImportKind | undefined;
          readonly reason?: ImportReason | undefined;
          readonly after: number;
          readonly limit: number;
        },
      ) => {
        await getRun(id);
        const found = files.listNotes(id, asked);
        if (!found) throw new DomainError('NOT_FOUND');
        return found;
      },
    ),
    /** The same of all rows, as CSV. Throws NOT_FOUND. */
    report: permitted('admin.root', async (_ctx: SignedIn, id: string) => {
      const run = await getRun(id);
      const body = files.report(id);
      if (!body) throw new DomainError('NOT_FOUND');
      return { filename: `import-${run.product}-${run.id.slice(0, 8)}.csv`, body };
    }),
    ...createImportCommands({ ...deps, getRun }),
    /** Throws away files that nobody came back for: they hold hashes of passwords. */
    async clean(): Promise<void> {
      const oldMs = clock.now() - KEEP_MS;
      files.removeOldUploads(oldMs);
      for (const run of await uow.read((tx) => tx.imports.listRuns(RUNS)))
        if (isForgotten(run, clock.now()) && running()?.runId !== run.id) files.removeRun(run.id);
    },
  };
}

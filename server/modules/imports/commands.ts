import { DomainError, fieldError } from '#shared/errors.ts';
import type { ImportProduct } from '#shared/imports.ts';
import { writeAudit } from '../audit/index.ts';
import { isProven } from '../identity/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { createPartUpload, type IncomingFiles } from '../uploads/index.ts';
import type { ImportChoices, ImportFiles, ImportPlace, ImportRun, ImportWorker, RoleChoice } from './ports.ts';
import { decideRoles } from './roles.ts';
import { createImportTasks, type ImportWork } from './tasks.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly files: ImportFiles;
  readonly incoming: IncomingFiles;
  readonly worker: ImportWorker;
  readonly work: ImportWork;
  /** Throws NOT_FOUND. */
  readonly getRun: (id: string) => Promise<ImportRun>;
}
type Connection = Exclude<ImportPlace, { upload: string }>;
/** Where something is brought from, as far as it was said: a file, else a database. */
type AskedPlace = { readonly upload?: string | undefined } & {
  readonly [K in keyof Connection]?: Connection[K] | undefined;
};

/** What owners do about imports. */
export function createImportCommands(deps: Deps) {
  const { uow, clock, ids, files, worker, work, getRun } = deps;
  const { assertIdle, perform } = createImportTasks(deps);

  /** Writes down what somebody does who showed who they are a moment ago. Throws TRUST_REQUIRED. */
  const record = (ctx: SignedIn, action: string, target: string, more?: (tx: Tx) => Promise<unknown>) =>
    uow.run(async (tx) => {
      const session = await tx.identity.findSession(ctx.actor.sessionId);
      if (!session || !isProven(session, clock.now())) throw new DomainError('TRUST_REQUIRED');
      await writeAudit(tx, { clock, ids }, ctx, { action, target });
      await more?.(tx);
    });
  return {
    /** Takes a part of a file: `createPartUpload`. Throws TRUST_REQUIRED. */
    uploadPart: permitted(
      'admin.root',
      createPartUpload({
        ...deps,
        freeBytes: files.freeBytes,
        begin: (ctx, name) => record(ctx, 'imports.upload', name),
      }),
    ),
    /** Begins a check. Throws IMPORT_BUSY, TRUST_REQUIRED, VALIDATION_FAILED at `upload` where there is no such file. */
    check: permitted(
      'admin.root',
      async (
        ctx: SignedIn,
        asked: { readonly choices: ImportChoices; readonly place: AskedPlace; readonly key?: string | undefined },
      ) => {
        const { choices } = asked;
        const place = placeOf(asked.place, choices.product, files);
        assertIdle();
        await record(ctx, 'imports.check', choices.product);
        assertIdle();
        void perform('check', null, (onStep) => worker.check({ ...asked, place, by: ctx.actor.userId }, onStep));
      },
    ),
    /**
     * Begins the import of a run that was checked, or goes on. In: which roles of ours those of the source come to;
     * once it was begun they are decided. Throws NOT_FOUND, CONFLICT, IMPORT_BUSY, TRUST_REQUIRED, and as
     * `decideRoles`.
     */
    apply: permitted(
      'admin.root',
      async (
        ctx: SignedIn,
        id: string,
        { key, roles = [] }: { key?: string | undefined; roles?: RoleChoice[] | undefined },
      ) => {
        const { state } = await getRun(id);
        if (state === 'done' || state === 'undone' || !files.hasRun(id)) throw new DomainError('CONFLICT');
        assertIdle();
        await record(ctx, 'imports.apply', id, async (tx) => {
          const run = await tx.imports.findRun(id);
          if (!run) throw new DomainError('NOT_FOUND');
          await decideRoles({ clock, ids }, tx, ctx, run, roles);
        });
        assertIdle();
        void perform('apply', id, (onStep) => worker.apply(id, key, onStep));
      },
    ),
    /** Begins to take a run back. Throws NOT_FOUND, CONFLICT, IMPORT_BUSY, TRUST_REQUIRED. */
    undo: permitted('admin.root', async (ctx: SignedIn, id: string) => {
      const { state } = await getRun(id);
      if (state === 'checked' || state === 'undone') throw new DomainError('CONFLICT');
      assertIdle();
      await record(ctx, 'imports.undo', id);
      assertIdle();
      void perform('undo', id, (onStep) => worker.undo(id, onStep));
    }),
    /** Throws away what a check read, and the file that it read. Throws NOT_FOUND, CONFLICT where it was begun. */
    remove: permitted('admin.root', async (ctx: SignedIn, id: string) => {
      const run = await getRun(id);
      if (run.state !== 'checked' || (work.running ?? files.running())?.runId === id) throw new DomainError('CONFLICT');
      await uow.run(async (tx) => {
        await writeAudit(tx, { clock, ids }, ctx, { action: 'imports.remove', target: id });
        await tx.imports.removeRun(id);
      });
      const upload = uploadOf(run);
      if (upload !== null) files.removeUpload(upload);
      files.removeRun(id);
    }),
  };
}

/** The default port of MySQL and MariaDB. */
const PORT = 3306;

/** Where it is to be read from. Throws VALIDATION_FAILED at the part that is missing. */
function placeOf(asked: AskedPlace, product: ImportProduct, files: ImportFiles): ImportPlace {
  const { upload, host, port = PORT, database, username, password = '', encrypted = false } = asked;
  if (upload !== undefined && files.hasUpload(upload)) return { upload };
  if (upload !== undefined || product === 'heliactyl') throw fieldError('upload', 'REQUIRED');
  if (host === undefined) throw fieldError('host', 'REQUIRED');
  if (database === undefined) throw fieldError('database', 'REQUIRED');
  if (username === undefined) throw fieldError('username', 'REQUIRED');
  return { host, port, database, username, password, encrypted };
}

/** The file that a run was read from; null: none that was uploaded. */
export function uploadOf({ options }: ImportRun): string | null {
  const found: unknown = Object.getOwnPropertyDescriptor(JSON.parse(options) as object, 'upload')?.value;
  return typeof found === 'string' ? found : null;
}

import { join } from 'node:path';
import { kindOfAddress } from '../addresses.ts';
import { createPasswords } from '../identity-providers/passwords.ts';
import { createImporter, type EngineDeps } from '../imports/engine.ts';
import { ImportFault } from '../imports/fault.ts';
import type { ImportPanel } from '../imports/panel-side.ts';
import { resolveAll } from '../outbound.ts';
import { createImportFiles, createImportUploads } from '../imports/files.ts';
import { isFolderLocked } from '../start/folder-lock.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import {
  createImports,
  isGivable,
  newImportWork,
  type Imports,
  type ImportWork,
  type ImportWorker,
} from '../modules/imports/index.ts';
import { HOUR } from '#shared/time.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';
import type { Services } from './services.ts';

/** The folder of working files and files that are brought, in that of the installation. */
export const importsFolder = (dataDir: string): string => join(dataDir, 'imports');

/** What a serving process has for imports, and keeps while its installation is replaced. */
export interface ImportTools {
  readonly worker: ImportWorker;
  readonly work: ImportWork;
}
/** A command has no business with the page's tasks: it ends before they do. */
const NO_WORKER: ImportWorker = { check: refuse, apply: refuse, undo: refuse, stop: () => undefined };
function refuse() {
  return Promise.resolve({ fault: 'stopped', message: 'only a serving process does this' } as const);
}

/** Coming over by the browser: the page's service, and what clears away the files that nobody came back for. */
export function composeImports(
  foundation: Foundation,
  { config, imports: tools }: Pick<ServiceDeps, 'config' | 'imports'>,
): { readonly services: { readonly imports: Imports }; readonly tasks: readonly ScheduledTask[] } {
  const folder = importsFolder(config.dataDir ?? '.');
  const imports = createImports({
    ...foundation,
    files: createImportFiles(folder, isFolderLocked),
    incoming: createImportUploads(folder),
    worker: tools?.worker ?? NO_WORKER,
    work: tools?.work ?? newImportWork(),
  });
  return { services: { imports }, tasks: [{ name: 'imports.clean', everyMs: HOUR, run: imports.clean }] };
}

/** What brings over from other dashboards, for the process that does it. */
export function composeImporter(
  services: Pick<Services, 'uow' | 'clock' | 'ids' | 'ledger' | 'keyed' | 'settings' | 'servers' | 'panelModule'>,
  dataDir: string,
  work: Pick<EngineDeps, 'onStep' | 'isStopped'> & Partial<Pick<EngineDeps, 'passwords' | 'mysql' | 'isAudited'>>,
) {
  const { uow, panelModule } = services;
  async function findPanel(wanted: string | null): Promise<ImportPanel | null> {
    await panelModule.registry.load();
    const outside = (await panelModule.registry.list()).flatMap(({ id }) => (id === null ? [] : [id]));
    if (wanted === null && outside.length > 1)
      throw new ImportFault('panel', 'Several panels are connected: say with --panel which one it is about.');
    const id = wanted ?? outside[0] ?? null;
    if (id === null) return null;
    const [panel, catalogue] = [panelModule.registry.find(id), panelModule.registry.findCatalogue(id)];
    if (!panel || !catalogue) throw new ImportFault('panel', 'There is no such panel, or it is disabled.');
    return { id, panel, catalogue };
  }
  return createImporter({
    ...services,
    traceOf: (identity) => services.keyed.mac('identity', identity),
    folder: importsFolder(dataDir),
    passwords: createPasswords(),
    mysql: { resolve: resolveAll, kindOf: kindOfAddress },
    departmentName: 'Support',
    adopt: services.servers.adopt,
    findPanel,
    roles: () =>
      uow.read(async (tx) =>
        (await tx.access.listRoles()).map(({ id, key, name, isDefault, permissions }) => ({
          id,
          key,
          name,
          isDefault,
          isOwner: !isGivable({ key, permissions }),
        })),
      ),
    ...work,
  });
}

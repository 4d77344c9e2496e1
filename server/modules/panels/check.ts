import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { PanelsDeps } from './deps.ts';
import { KEY_UNREADABLE, openKey } from './keys.ts';
import type { CheckedPanel, StoredCheck } from './ports.ts';
import { checkPanel } from './commands.ts';

/**
 * Asks a panel what its keys may do, also a disabled one, and keeps the answer. In: who asks; null for the command
 * line. Throws FORBIDDEN, NOT_FOUND.
 */
export async function testPanel(deps: PanelsDeps, ctx: SignedIn | null, id: string): Promise<CheckedPanel> {
  if (ctx) assertMay(ctx, 'admin.panels.edit');
  const row = await deps.uow.read((tx) => tx.panels.find(id));
  if (!row) throw new DomainError('NOT_FOUND');
  const [connection, key] = [deps.registry.findConnection(row), openKey(deps.sealer, row, 'key')];
  const { name, dialect, url, publicUrl } = row;
  const checked: StoredCheck =
    connection && key !== null
      ? await checkPanel(
          deps,
          { id, name, dialect, url, publicUrl, key, clientKey: openKey(deps.sealer, row, 'client_key') },
          connection.catalogue,
        )
      : KEY_UNREADABLE;
  const now = deps.clock.now();
  await deps.uow.run(async (tx) => {
    const current = await tx.panels.lock(id);
    // Somebody gave it another address or key meanwhile: the answer is about what was.
    if (!current || current.updatedMs !== row.updatedMs) return;
    await tx.panels.saveNote(id, {
      checked,
      checkedMs: now,
      ...('found' in checked ? { dialect: checked.found.dialect } : {}),
    });
    tx.touch('panels');
  });
  return { check: checked, atMs: now };
}

import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { isSecret, isSettingKey, SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';
import type { ActivityCursor, AuditEntry } from '../audit/ports.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import { createSettingEffects, type EffectDeps } from './effects.ts';
import type { StaffSettings } from './staff.ts';
import { faultOf } from './values.ts';

/** Rows of a page. */
const PAGE = 25;
const ACTION = 'settings.set';

/** A change of a setting, as the audit log has it. */
export interface HistoryEntry {
  readonly id: string;
  readonly atMs: number;
  readonly key: SettingKey;
  /** Who did it; null: the command line. */
  readonly actor: string | null;
  /** Of secrets only whether there was one (`MASK` or ''). */
  readonly before: unknown;
  readonly after: unknown;
  /** Whether the caller may restore what was before. */
  readonly canUndo: boolean;
}
interface Deps extends EffectDeps {
  readonly uow: UnitOfWork;
  readonly staff: Pick<StaffSettings, 'list' | 'save'>;
}
export type SettingHistory = ReturnType<typeof createSettingHistory>;

/** What was changed in the settings, by whom and when, and the way back (behaviour 8.4). */
export function createSettingHistory(deps: Deps) {
  const { uow, staff } = deps;
  const countAffected = createSettingEffects(deps);

  /** A page of changes, the newest first: of one setting, or of all. Out: also where the next page begins. */
  async function list(
    ctx: SignedIn,
    key: SettingKey | null,
    before: ActivityCursor | null,
  ): Promise<{ entries: HistoryEntry[]; older: ActivityCursor | null }> {
    assertMay(ctx, 'admin.settings.view');
    const keys = key === null ? Object.keys(SETTINGS) : [key];
    const found = await uow.read((tx) => tx.audit.listOfTargets(ACTION, keys, before, PAGE + 1));
    const last = found.slice(0, PAGE).at(-1);
    return {
      entries: found.slice(0, PAGE).flatMap((entry) => toEntry(ctx, entry) ?? []),
      older: found.length > PAGE && last ? { atMs: last.atMs, id: last.id } : null,
    };
  }

  /** One change, its setting as it is now, and whom undoing it affects. Throws NOT_FOUND. */
  async function get(ctx: SignedIn, id: string) {
    assertMay(ctx, 'admin.settings.view');
    const found = await uow.read((tx) => tx.audit.find(id));
    const entry = found?.action === ACTION ? toEntry(ctx, found) : null;
    const current = entry && (await staff.list(ctx)).find(({ key }) => key === entry.key);
    if (!entry || !current) throw new DomainError('NOT_FOUND');
    const { key, canUndo } = entry;
    const change = { before: current.value, after: entry.before as typeof current.value };
    const affected = canUndo ? (await countAffected(new Map([[key, change]]))).get(key) : undefined;
    return { entry, current, affected: affected ?? null };
  }

  /**
   * Restores what a setting was before a change, by the rules of every other change (`StaffSettings.save`). In: the
   * change, the revision of the setting that the caller saw, and whether they confirmed. Throws NOT_FOUND for a change
   * that cannot be undone: that of a secret, or one whose value does not fit any more.
   */
  async function undo(
    ctx: SignedIn,
    { id, revision, confirmed }: { readonly id: string; readonly revision: number; readonly confirmed: boolean },
  ): Promise<{ changed: number }> {
    assertMay(ctx, 'admin.settings.edit');
    const found = await uow.read((tx) => tx.audit.find(id));
    const key = found?.target ?? '';
    if (!found || found.action !== ACTION || !isSettingKey(key) || !isRestorable(key, found.before))
      throw new DomainError('NOT_FOUND');
    return staff.save(ctx, { changes: [{ key, value: found.before, revision }], confirmed });
  }

  return { list, get, undo };
}

/** Whether what a setting was before can be stored again: no secret, and a value that still fits. */
const isRestorable = (key: SettingKey, before: unknown): boolean => !isSecret(key) && faultOf(key, before) === null;

function toEntry(ctx: SignedIn, entry: AuditEntry & { readonly actor: string | null }): HistoryEntry | null {
  const { id, atMs, target, actor, before, after } = entry;
  if (target === null || !isSettingKey(target)) return null;
  const { permissions } = ctx.actor;
  const row: SettingRow = SETTINGS[target];
  const mayEdit = can(permissions, 'admin.settings.edit') && (!row.ownerOnly || can(permissions, 'admin.root'));
  return { id, atMs, key: target, actor, before, after, canUndo: mayEdit && isRestorable(target, before) };
}

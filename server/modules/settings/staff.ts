import type { FieldCode } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import {
  isSecret,
  isSettingKey,
  MASK,
  maskedValue,
  SETTINGS,
  type SettingKey,
  type SettingRow,
  type SettingValues,
} from '#shared/settings.ts';
import type { AffectedCount } from '#shared/setting-effects.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import {
  changedKeys,
  missingPictures,
  missingSecrets,
  readState,
  valueFaults,
  writeChanges,
  type ChangeDeps,
  type SettingChanges,
  type SettingState,
} from './changes.ts';
import { createSettingEffects, type EffectDeps } from './effects.ts';
import { assertNone, type Settings } from './service.ts';
import { spanFaults } from './spans.ts';

type Value = string | number | boolean;
/** A setting as staff see it. */
interface SettingView {
  readonly key: SettingKey;
  /** Of a secret always ''. */
  readonly value: Value;
  /** Of a secret whether there is one; of others whether they are stored. */
  readonly isSet: boolean;
  /** A secret is stored that the installation's key does not open. */
  readonly isUnreadable: boolean;
  /** How often it was stored; 0: never. */
  readonly revision: number;
  readonly changedMs: number | null;
}
/** A change of one setting, made by somebody who saw a revision of it. */
interface SettingChange {
  readonly key: string;
  readonly value: unknown;
  readonly revision: number;
}
/** What a change would do; of a secret masked. */
interface Difference {
  readonly key: SettingKey;
  readonly before: Value;
  readonly after: Value;
  /** How many it affects at once; null where nobody is, or where nobody could be counted. */
  readonly affected: AffectedCount | null;
}
interface Deps extends ChangeDeps, Pick<EffectDeps, 'long' | 'appUrl' | 'countDroppedBackups'> {
  readonly uow: UnitOfWork;
  readonly settings: Pick<Settings, 'load' | 'current'>;
}
export type StaffSettings = ReturnType<typeof createStaffSettings>;

/** Settings for staff in the browser (behaviour 8.4): nobody overwrites what they have not seen. */
export function createStaffSettings(deps: Deps) {
  const { uow, clock, sealer, settings } = deps;
  const countAffected = createSettingEffects(deps);

  /** Every setting of the registry. Never the value of a secret. */
  async function list(ctx: SignedIn): Promise<SettingView[]> {
    assertMay(ctx, 'admin.settings.view');
    const { values, unreadable, rows } = await uow.read((tx) => readState(tx, sealer));
    return (Object.keys(SETTINGS) as SettingKey[]).map((key) => {
      const row = rows.get(key);
      return {
        key,
        value: isSecret(key) ? '' : values[key],
        isSet: isSecret(key) ? values[key] !== '' : row !== undefined,
        isUnreadable: key in unreadable,
        revision: row?.revision ?? 0,
        changedMs: row?.updatedMs ?? null,
      };
    });
  }

  /** What changes would do, refused as `save` refuses them. Changes nothing. */
  async function review(ctx: SignedIn, changes: readonly SettingChange[]): Promise<Difference[]> {
    assertMay(ctx, 'admin.settings.edit');
    const differences = await uow.read(async (tx) => {
      const state = await readState(tx, sealer);
      const wanted = valuesOf(changes);
      assertNone([...(await missingPictures(tx, wanted)), ...faultsOf(ctx, state, changes, wanted)]);
      return touched(state, wanted).map((key) => ({
        key,
        before: key in state.unreadable ? MASK : maskedValue(key, state.values[key]),
        after: maskedValue(key, wanted[key] as Value),
      }));
    });
    const affected = await countAffected(new Map(differences.map((each) => [each.key, each])));
    return differences.map((each) => ({ ...each, affected: affected.get(each.key) ?? null }));
  }

  /**
   * Saves changes, all or nothing. Out: how many. Throws VALIDATION_FAILED with a code for each key: CHANGED_MEANWHILE
   * where somebody else changed it since the caller saw it, NOT_ALLOWED for what only `admin.root` changes, REQUIRED
   * for a secret that would be sent to another origin or that something needs, NOT_CONFIRMED where the change has to be
   * confirmed, and the codes of values that do not fit.
   */
  async function save(
    ctx: SignedIn,
    { changes, confirmed }: { readonly changes: readonly SettingChange[]; readonly confirmed: boolean },
  ): Promise<{ changed: number }> {
    assertMay(ctx, 'admin.settings.edit');
    const answer = await runOnce({ uow, now: clock.now() }, ctx, (tx) => write(tx, ctx, changes, confirmed));
    await settings.load();
    return answer;
  }

  async function write(tx: Tx, ctx: SignedIn, changes: readonly SettingChange[], confirmed: boolean) {
    await tx.settings.lock();
    const state = await readState(tx, sealer);
    const wanted = valuesOf(changes);
    assertNone([...(await missingPictures(tx, wanted)), ...faultsOf(ctx, state, changes, wanted)]);
    const keys = touched(state, wanted);
    if (!confirmed) assertNone(keys.filter(asksFirst).map((key) => [key, 'NOT_CONFIRMED']));
    await writeChanges(tx, deps, ctx, { state, changes: wanted, keys });
    return { changed: keys.length };
  }

  /** Everything that speaks against changes, the first fault of each key. */
  function faultsOf(
    ctx: SignedIn,
    state: SettingState,
    changes: readonly SettingChange[],
    wanted: SettingChanges,
  ): [string, FieldCode][] {
    const keys = touched(state, wanted);
    const isOwner = can(ctx.actor.permissions, 'admin.root');
    const after = { ...state.values, ...Object.fromEntries(keys.map((key) => [key, wanted[key]])) } as SettingValues;
    const single = valueFaults(wanted, deps.sendsMail?.(after) ?? true);
    const faulty = new Set(single.map(([key]) => key));
    const all: [string, FieldCode][] = [
      ...single,
      ...(isOwner ? [] : keys.filter(isOwnerOnly)).map((key): [string, FieldCode] => [key, 'NOT_ALLOWED']),
      ...changes
        .filter(({ key, revision }) => isTouched(keys, key) && revision !== (state.rows.get(key)?.revision ?? 0))
        .map(({ key }): [string, FieldCode] => [key, 'CHANGED_MEANWHILE']),
      ...missingSecrets(state, wanted),
      ...(faulty.size === 0 ? spanFaults(after, keys) : []),
    ];
    const seen = new Set<string>();
    return all.filter(([key]) => !seen.has(key) && seen.add(key));
  }

  return { list, review, save };
}

/** Every change by its key. A key given twice counts as it comes last. */
const valuesOf = (changes: readonly SettingChange[]): SettingChanges =>
  Object.fromEntries(changes.map(({ key, value }) => [key, value]));

/** The keys that change. A secret always does: whether it is the one that is stored is nobody's business. */
function touched(state: SettingState, wanted: SettingChanges): SettingKey[] {
  const changed = new Set<string>(changedKeys(state, wanted));
  return Object.keys(wanted).filter(
    (key): key is SettingKey =>
      isSettingKey(key) && (changed.has(key) || (isSecret(key) && !(wanted[key] === '' && state.values[key] === ''))),
  );
}

const isTouched = (keys: readonly SettingKey[], key: string): boolean => isSettingKey(key) && keys.includes(key);
const isOwnerOnly = (key: SettingKey): boolean => (SETTINGS[key] as SettingRow).ownerOnly === true;
const asksFirst = (key: SettingKey): boolean => (SETTINGS[key] as SettingRow).asks === true;

import type * as z from 'zod/mini';
import { DomainError, fieldError, type FieldCode, type FieldErrors } from '#shared/errors.ts';
import type { PanelDialect } from '#shared/panel-codes.ts';
import type { panelCreateInput, panelUpdateInput } from '#shared/schemas/panel.ts';
import { iso } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { assertAddress } from './address.ts';
import { enqueueSync, type PanelsDeps } from './deps.ts';
import { openKey, sealKey } from './keys.ts';
import { eggBodyOf } from './offers.ts';
import type { PanelCatalogue } from '../servers/index.ts';
import type { PanelAddress, PanelEdit, PanelRow, StoredCheck } from './ports.ts';
import { faultOf } from './sync.ts';

export type PanelInput = z.output<typeof panelCreateInput>;
export type PanelUpdate = z.output<typeof panelUpdateInput> & { readonly updated_at: string };

/** Whether a command of this key was run before: it is not tried again, its answer is there (see runOnce). */
async function hasRun(deps: PanelsDeps, ctx: Ctx | null): Promise<boolean> {
  const { actor, idempotency } = ctx ?? {};
  return actor && idempotency
    ? (await deps.uow.read((tx) => tx.idempotency.find(actor.userId, idempotency.key))) !== null
    : false;
}
const throwConflict = (): never => {
  throw new DomainError('CONFLICT');
};

/**
 * Finds out which kind of panel stands at an address, and what the keys may do there. In: the connection to use where
 * it is of that kind.
 */
export async function checkPanel(
  { connector }: Pick<PanelsDeps, 'connector'>,
  address: PanelAddress,
  own: PanelCatalogue | null,
): Promise<StoredCheck> {
  const { answer, failure } = await connector.detect(address);
  if (answer.outcome !== 'ok')
    return { ...faultOf(answer, null), ...(answer.outcome === 'refused' ? {} : { cause: failure }) };
  const dialect = answer.value;
  const catalogue = own && address.dialect === dialect ? own : connector.connect({ ...address, dialect }).catalogue;
  const checked = await catalogue.check();
  return checked.outcome === 'ok' ? { found: { ...checked.value, dialect } } : faultOf(checked, catalogue);
}

/**
 * What is known of a panel's dialect after a test: what it said, else what staff say. Throws where nobody knows, and
 * where the panel answered that it does not take the key (`fresh`: it was typed just now).
 */
function resolveDialect(checked: StoredCheck, chosen: PanelDialect | 'auto', fresh: boolean): PanelDialect {
  if ('found' in checked) return checked.found.dialect;
  if (checked.fault === 'refused' && (fresh || chosen === 'auto'))
    throw fieldError('key', KEY_CODES[checked.cause ?? ''] ?? 'NOT_ALLOWED');
  if (chosen !== 'auto') return chosen;
  const code = ADDRESS_CODES[checked.cause ?? ''];
  throw new DomainError('PANEL_UNAVAILABLE', code ? { fields: { url: [code] } } : {});
}
/**
 * What a connection that came to nothing failed of, as the form says it beside the address; other causes are said as a
 * whole.
 */
const ADDRESS_CODES: Readonly<Record<string, FieldCode>> = {
  refused: 'PANEL_SILENT',
  dns: 'PANEL_DNS',
  tls: 'PANEL_TLS',
  timeout: 'PANEL_TIMEOUT',
  reset: 'PANEL_RESET',
  redirect: 'PANEL_REDIRECT',
  not_api: 'PANEL_NOT_API',
  not_json: 'PANEL_NOT_API',
};
const KEY_CODES: Readonly<Record<string, FieldCode>> = {
  key_owner: 'PANEL_KEY_OWNER',
  key_address: 'PANEL_KEY_ADDRESS',
};

/**
 * Adds a panel. It is asked what its keys may do before it is written down, so that its dialect is known and staff see
 * at once what is missing; where it does not answer, staff may name the dialect themselves. Reading of its catalogue
 * begins. Throws VALIDATION_FAILED (name or address taken, address that no key may be sent to, key refused),
 * PANEL_UNAVAILABLE.
 */
export async function createPanel(deps: PanelsDeps, ctx: Ctx | null, input: PanelInput): Promise<{ id: string }> {
  const { uow, clock, ids, sealer } = deps;
  if (ctx && (await hasRun(deps, ctx))) return runOnce({ uow, now: clock.now() }, ctx, throwConflict);
  await assertAddress(deps.kindOfHost, input.url);
  await uow.read((tx) => assertFree(tx, input, null));
  await auditAttempt(deps, ctx, null, input);
  const chosen = input.dialect;
  const address: PanelAddress = {
    id: null,
    name: input.name,
    dialect: chosen === 'auto' ? 'pterodactyl' : chosen,
    url: input.url,
    publicUrl: null,
    key: input.key,
    clientKey: input.client_key || null,
  };
  const checked = await checkPanel(deps, address, null);
  const dialect = resolveDialect(checked, chosen, true);
  const store = async (tx: Tx) => {
    const id = ids.uuid();
    const now = clock.now();
    const row: PanelRow = {
      id,
      name: input.name,
      dialect,
      url: input.url,
      publicUrl: input.public_url || null,
      keySealed: sealKey(sealer, id, 'key', input.key),
      clientKeySealed: input.client_key === '' ? null : sealKey(sealer, id, 'client_key', input.client_key),
      enabled: input.enabled,
      checked,
      checkedMs: now,
      synced: null,
      syncedMs: null,
      syncAskedMs: null,
      createdMs: now,
      updatedMs: now,
    };
    if (!(await tx.panels.add(row))) return throwTaken(tx, input, null);
    if (input.enabled) {
      await tx.panels.saveNote(id, { syncAskedMs: now });
      await enqueueSync(deps, tx, id);
    }
    await writeAudit(tx, deps, ctx, { action: 'panels.create', target: id, after: toAuditFields(row) });
    tx.touch('panels');
    return { id };
  };
  return ctx ? runOnce({ uow, now: clock.now() }, ctx, store) : uow.run(store);
}

/**
 * Writes down which address keys are about to be sent to, before anything is asked: what is refused afterwards was
 * tried all the same (attacks T57). In: the panel's id, null for one that is not stored yet.
 */
function auditAttempt(
  deps: PanelsDeps,
  ctx: Ctx | null,
  before: PanelRow | null,
  { name, url, key, client_key }: PanelInput,
): Promise<void> {
  const presence = (typed: string) => (typed === '' ? 'absent' : 'given');
  const after = { name, url, key: presence(key), client_key: presence(client_key) };
  return deps.uow.run((tx) =>
    writeAudit(tx, deps, ctx, {
      action: 'panels.attempt',
      target: before?.id ?? name,
      ...(before ? { before: toAuditFields(before) } : {}),
      after,
    }),
  );
}

/**
 * A stored key goes to no address that somebody without it has just set (attacks T57): a new origin needs all keys
 * there are in the same change. Throws VALIDATION_FAILED with REQUIRED at those that are missing.
 */
function assertKeysGiven(row: PanelRow, input: PanelUpdate): void {
  if (input.url === row.url) return;
  const fields: FieldErrors = {
    ...(input.key === '' ? { key: ['REQUIRED'] } : {}),
    ...(row.clientKeySealed !== null && input.client_key === '' && !input.drop_client_key
      ? { client_key: ['REQUIRED'] }
      : {}),
  };
  if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
}

/** What the audit log says of a row: nothing of its keys but that they are there. */
const toAuditFields = ({ name, url, publicUrl, dialect, enabled, clientKeySealed }: PanelRow) => ({
  name,
  url,
  ...(publicUrl === null ? {} : { public_url: publicUrl }),
  dialect,
  enabled,
  key: 'set',
  client_key: clientKeySealed === null ? 'absent' : 'set',
});

async function assertFree(tx: Tx, values: { name: string; url: string }, except: string | null): Promise<void> {
  const taken = await tx.panels.findTaken(values, except);
  if (taken) throw fieldError(taken, taken === 'name' ? 'NAME_TAKEN' : 'ADDRESS_TAKEN');
}

/** Says what another row has already; CONFLICT where that has gone again. */
async function throwTaken(tx: Tx, values: { name: string; url: string }, except: string | null): Promise<never> {
  await assertFree(tx, values, except);
  throw new DomainError('CONFLICT');
}

/**
 * Changes a panel. New address or keys are tried before they are written down; a new address needs all keys. Throws
 * NOT_FOUND, CONFLICT (somebody else changed it), VALIDATION_FAILED as `createPanel`, also OTHER_PANEL where a new
 * address leads to another panel than the one whose eggs were taken over, PANEL_UNAVAILABLE.
 */
export async function updatePanel(
  deps: PanelsDeps,
  ctx: SignedIn,
  id: string,
  input: PanelUpdate,
): Promise<{ id: string }> {
  const { uow, clock, sealer } = deps;
  if (await hasRun(deps, ctx)) return runOnce({ uow, now: clock.now() }, ctx, throwConflict);
  const before = await uow.read((tx) => getUnchangedRow(tx, id, input.updated_at, 'find'));
  const moved = input.url !== before.url;
  const reached =
    moved ||
    input.key !== '' ||
    input.client_key !== '' ||
    input.drop_client_key ||
    (input.dialect !== 'auto' && input.dialect !== before.dialect);
  if (reached) await auditAttempt(deps, ctx, before, input);
  assertKeysGiven(before, input);
  const tried = reached ? await tryAddress(deps, before, input) : null;
  return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
    const row = await getUnchangedRow(tx, id, input.updated_at, 'lock');
    assertKeysGiven(row, input);
    await assertFree(tx, input, id);
    const edit: PanelEdit = {
      name: input.name,
      url: input.url,
      publicUrl: input.public_url || null,
      enabled: input.enabled,
      dialect: tried?.dialect ?? row.dialect,
      ...(input.key === '' ? {} : { keySealed: sealKey(sealer, id, 'key', input.key) }),
      ...(input.client_key !== ''
        ? { clientKeySealed: sealKey(sealer, id, 'client_key', input.client_key) }
        : input.drop_client_key
          ? { clientKeySealed: null }
          : {}),
    };
    // Always later than what others saw, so that every change is noticed.
    const now = Math.max(clock.now(), row.updatedMs + 1);
    if (!(await tx.panels.update(id, edit, now))) return throwTaken(tx, input, id);
    if (tried) await tx.panels.saveNote(id, { checked: tried.checked, checkedMs: clock.now() });
    const after = { ...row, ...edit };
    const keys = {
      ...(edit.keySealed === undefined ? {} : { key: 'changed' }),
      ...(edit.clientKeySealed ? { client_key: 'changed' } : {}),
    };
    await writeAudit(tx, deps, ctx, {
      action: 'panels.edit',
      target: id,
      before: toAuditFields(row),
      after: { ...toAuditFields(after), ...keys },
    });
    tx.touch('panels');
    return { id };
  });
}

async function getUnchangedRow(tx: Tx, id: string, seenAt: string, how: 'find' | 'lock'): Promise<PanelRow> {
  const row = await tx.panels[how](id);
  if (!row) throw new DomainError('NOT_FOUND');
  if (iso(row.updatedMs) !== seenAt) throw new DomainError('CONFLICT');
  return row;
}

/** Tries an address and keys that a row is to have. */
async function tryAddress(
  deps: PanelsDeps,
  row: PanelRow,
  input: PanelUpdate,
): Promise<{ dialect: PanelDialect; checked: StoredCheck }> {
  await assertAddress(deps.kindOfHost, input.url);
  const key = input.key || openKey(deps.sealer, row, 'key');
  if (key === null) throw fieldError('key', 'REQUIRED');
  const moved = input.url !== row.url;
  const chosen = input.dialect !== 'auto' ? input.dialect : moved ? 'auto' : row.dialect;
  const clientKey = input.client_key || (input.drop_client_key ? null : openKey(deps.sealer, row, 'client_key'));
  const address: PanelAddress = {
    id: null,
    name: input.name,
    dialect: chosen === 'auto' ? row.dialect : chosen,
    url: input.url,
    publicUrl: null,
    key,
    clientKey,
  };
  const checked = await checkPanel(deps, address, null);
  const dialect = resolveDialect(checked, chosen, input.key !== '');
  if (moved) await assertSamePanel(deps, row, deps.connector.connect({ ...address, dialect }).catalogue);
  return { dialect, checked };
}

/**
 * A panel that moved still has eggs that were taken over from it (their UUIDs are its own). One that has none of them
 * is another panel: its ids would mean other servers. Throws OTHER_PANEL at `url`, PANEL_UNAVAILABLE where it cannot be
 * said.
 */
async function assertSamePanel(deps: PanelsDeps, row: PanelRow, catalogue: PanelCatalogue): Promise<void> {
  const { offers, uses } = await deps.uow.read(async (tx) => ({
    offers: await tx.panels.listOffers(row.id),
    uses: (await tx.panels.countUses()).get(row.id),
  }));
  const known = new Set(offers.filter(({ kind }) => kind === 'egg').map((offer) => eggBodyOf(offer).uuid));
  if (known.size === 0 || !uses || uses.servers + uses.locations + uses.eggs === 0) return;
  const eggs = await catalogue.eggs();
  if (eggs.outcome !== 'ok') throw new DomainError('PANEL_UNAVAILABLE');
  if (!eggs.value.some(({ uuid }) => known.has(uuid))) throw fieldError('url', 'OTHER_PANEL');
}

/** Removes a panel that nothing of ours needs. Throws NOT_FOUND, NAME_MISMATCH, IN_USE. */
export async function deletePanel(deps: PanelsDeps, ctx: SignedIn, id: string, name: string): Promise<void> {
  await deps.uow.run(async (tx) => {
    const row = await tx.panels.lock(id);
    if (!row) throw new DomainError('NOT_FOUND');
    if (name.trim() !== row.name) throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
    if (isUsed((await tx.panels.countUses()).get(id))) throw new DomainError('IN_USE');
    await tx.panels.delete(id);
    await writeAudit(tx, deps, ctx, { action: 'panels.delete', target: id, before: toAuditFields(row) });
    tx.touch('panels', 'catalog');
  });
}

/** Whether servers or locations keep a panel from being removed. Eggs lose nothing but the way to it. */
export const isUsed = (uses: { readonly servers: number; readonly locations: number } | undefined): boolean =>
  (uses?.servers ?? 0) + (uses?.locations ?? 0) > 0;

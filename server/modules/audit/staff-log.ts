import { isSecretName, maskValue } from '#shared/mask.ts';
import { can } from '#shared/permissions.ts';
import { DAY, iso } from '#shared/time.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import type { LongReads } from '../tx.ts';
import type { ActivityCursor, AuditEntry, StaffAuditFilter } from './ports.ts';
import { nameInAudit, readableAreas } from './readers.ts';

interface Deps {
  readonly long: LongReads;
  readonly clock: Clock;
}
/** What entries are looked for. */
interface AuditQuery {
  /** Part of an action, a target or a value. */
  readonly text?: string | undefined;
  /** Who did it, by username. */
  readonly actor?: string | undefined;
  readonly requestId?: string | undefined;
  readonly days?: number | undefined;
}
export type AuditLog = ReturnType<typeof createAuditLog>;

/** Entries on a page, and in a file at most. */
const PAGE = 50;
const FILE_MAX = 10_000;
const SLICE = 500;
/** A value is shown up to so many characters. */
const VALUE_MAX = 300;

/** What staff changed, for staff: each sees the areas that they may list (attacks T59). */
export function createAuditLog({ long, clock }: Deps) {
  function filterOf({ actor: { permissions } }: SignedIn, query: AuditQuery): StaffAuditFilter {
    return {
      areas: readableAreas(permissions),
      ...(query.text === undefined || query.text === '' ? {} : { text: query.text }),
      ...(query.actor === undefined || query.actor === '' ? {} : { actor: query.actor }),
      ...(query.requestId === undefined ? {} : { requestId: query.requestId }),
      ...(query.days === undefined ? {} : { sinceMs: clock.now() - query.days * DAY }),
    };
  }
  return {
    /** A page of entries, the newest first, and the place of the last one where there are more; else null. */
    async list(ctx: SignedIn, query: AuditQuery, before: ActivityCursor | null) {
      const filter = filterOf(ctx, query);
      const found = await long.read((tx) => tx.audit.listForStaff(filter, before, PAGE + 1), { for: 'visitor' });
      const shown = found.slice(0, PAGE);
      const last = shown.at(-1);
      const seesAddresses = can(ctx.actor.permissions, 'admin.users.edit');
      return {
        entries: shown.map((entry) => readEntry(entry, seesAddresses)),
        older: found.length > PAGE && last ? { atMs: last.atMs, id: last.id } : null,
      };
    },
    /** Every entry that fits, the newest first, up to ten thousand; read in slices, so that nothing waits for it. */
    async listAll(ctx: SignedIn, query: AuditQuery) {
      const filter = filterOf(ctx, query);
      const seesAddresses = can(ctx.actor.permissions, 'admin.users.edit');
      const readSlice = (before: ActivityCursor | null) =>
        long.read((tx) => tx.audit.listForStaff(filter, before, SLICE), { for: 'visitor' });
      const all: ReturnType<typeof readEntry>[] = [];
      let slice = await readSlice(null);
      for (;;) {
        all.push(...slice.map((entry) => readEntry(entry, seesAddresses)));
        if (slice.length < SLICE || all.length >= FILE_MAX) return all;
        slice = await readSlice(slice.at(-1) ?? null);
      }
    },
  };
}

/** An entry with what changed, field by field; its network address only for whoever may see addresses. */
function readEntry(entry: AuditEntry & { readonly actor: string | null }, seesAddresses: boolean) {
  const { id, atMs, actor, action, device, requestId } = entry;
  return {
    id,
    atMs,
    actor,
    action,
    target: nameInAudit(entry) ?? entry.target,
    changes: changesOf(action, entry.before, entry.after),
    address: seesAddresses ? entry.address : null,
    device,
    requestId,
  };
}

/** Names of moments, in UTC ms, and the least that counts as one: 2001. What is less is a length of time. */
const MOMENT = /(?:Ms|_ms)$/;
const FIRST_MS = 1e12;

/** Fields of an area that everybody sees, although their names are those of secrets elsewhere. */
const OPEN_FIELDS: Readonly<Record<string, readonly string[]>> = { locations: ['code'] };

/** The fields that differ, each before and after as text; what is secret by its name is masked (attacks T50). */
function changesOf(action: string, before: unknown, after: unknown) {
  const open = OPEN_FIELDS[action.split('.')[0] ?? ''] ?? [];
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((name) => ({ name, before: textOf(name, old, open), after: textOf(name, fresh, open) }))
    .filter((change) => change.before !== change.after);
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  if (value === null || value === undefined) return new Map();
  return new Map(typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [['value', value]]);
}

function textOf(name: string, fields: ReadonlyMap<string, unknown>, open: readonly string[]): string | null {
  const value = fields.get(name);
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= FIRST_MS && MOMENT.test(name)) return iso(value);
  const masked = maskValue(value, !open.includes(name) && isSecretName(name));
  const text = typeof masked === 'string' ? masked : JSON.stringify(masked);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}

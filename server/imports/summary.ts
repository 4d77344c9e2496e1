import { IMPORT_KINDS, type ImportKind, type ImportReason } from '#shared/imports.ts';
import type { RoleProposal } from '../modules/imports/index.ts';
import type { RecordState, RecordStore } from './records.ts';
import type { CreditSums } from './plan.ts';

/** What a run comes to. Credits are texts with four decimals: `found` is coming, already, cut and left together. */
export interface ImportSummary {
  readonly kinds: Readonly<Record<ImportKind, Readonly<Record<Exclude<RecordState, 'new'>, number>>>>;
  readonly notes: readonly { readonly kind: ImportKind; readonly reason: ImportReason; readonly n: number }[];
  readonly credits: Readonly<Record<keyof CreditSums, string>>;
  /** Roles of the source that would come with rights, and what is proposed for each. */
  readonly roles: readonly RoleProposal[];
  /** What was not as it should be in the source. */
  readonly read: Readonly<Record<string, unknown>>;
}

const FRACTIONS = 10_000n;
/** Ten-thousandths as a number with four decimals. */
function toDecimal(value: bigint): string {
  const size = value < 0n ? -value : value;
  return `${value < 0n ? '-' : ''}${size / FRACTIONS}.${String(size % FRACTIONS).padStart(4, '0')}`;
}

/** What the working file says. In: the sums where they were just made; null: those that were kept. */
export function summarise(store: RecordStore, sums: CreditSums | null): ImportSummary {
  if (sums) {
    const texts = Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, toDecimal(value as bigint)]));
    store.staging.setFact('credits', JSON.stringify(texts));
  }
  const kinds = IMPORT_KINDS.map((kind) => {
    const states = (['ready', 'already', 'left', 'done'] as const).map((state) => [state, store.count(kind, state)]);
    return [kind, Object.fromEntries(states)];
  });
  return {
    kinds: Object.fromEntries(kinds) as ImportSummary['kinds'],
    notes: store.countNotes(),
    credits: JSON.parse(store.staging.fact('credits') ?? '{}') as ImportSummary['credits'],
    roles: JSON.parse(store.staging.fact('roles') ?? '[]') as RoleProposal[],
    read: JSON.parse(store.staging.fact('read') ?? '{}') as Record<string, unknown>,
  };
}

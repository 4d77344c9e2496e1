import { EARNING_SOURCES, SOURCE_NAMES, type EarningSource } from './earning-sources.ts';
import type { PlayerRouteId } from './routes/players.ts';

interface KindFacts {
  /** The page a line of this kind is about. */
  readonly to?: PlayerRouteId;
  /** The part of the page. */
  readonly query?: `?${string}`;
  /** Extracts the page's id from the transaction's reference. */
  readonly id?: RegExp;
}

/** The rewards of the earning sources, each about the page of its source. */
const sourceKinds = Object.fromEntries(
  SOURCE_NAMES.map((source) => [`reward.${source}`, { to: EARNING_SOURCES[source].page }]),
) as { readonly [S in EarningSource as `reward.${S}`]: { readonly to: (typeof EARNING_SOURCES)[S]['page'] } };

/**
 * Every kind of transaction in a user's statement, and the page it refers to. Each has a name (`account:kind.<kind>`)
 * and an explanation (`statement:why.<kind>`, where the direction matters `whyIn` and `whyOut`) in every language; a
 * test checks this.
 */
export const STATEMENT_KINDS = {
  ...sourceKinds,
  'reward.j4r.back': { to: 'earn.j4r' },
  'reward.held': { to: 'account', query: '?tab=held' },
  'reward.released': { to: 'account', query: '?tab=held' },
  'reward.rejected': { to: 'account', query: '?tab=held' },
  'store.buy': { to: 'store' },
  'store.refund': { to: 'store' },
  'server.renew': { to: 'server.view', id: /^renew:([^:]+):/ },
  'server.start': { to: 'server.view', id: /^server\.start:([^:]+):/ },
  'image.upload': { to: 'images' },
  'image.refund': { to: 'images' },
  plugin: {},
  gift: {},
  'payment.credit': { to: 'account', query: '?tab=payments' },
  'payment.refund': { to: 'account', query: '?tab=payments' },
  'payment.dispute': { to: 'account', query: '?tab=payments' },
  'payment.return': { to: 'account', query: '?tab=payments' },
  'debt.paid': { to: 'account', query: '?tab=payments' },
  adjustment: {},
  import: {},
  reversal: {},
  'hold.release': {},
} as const satisfies Readonly<Record<string, KindFacts>>;

const facts: Readonly<Record<string, KindFacts>> = STATEMENT_KINDS;

/** The page that a kind is about, or null. */
export function pageOfKind(kind: string): {
  readonly to: PlayerRouteId;
  readonly query: string;
  readonly needsId: boolean;
  /** The earning source that the page belongs to, if any. */
  readonly source: EarningSource | null;
} | null {
  const found = Object.hasOwn(facts, kind) ? facts[kind] : undefined;
  if (!found?.to) return null;
  const source = SOURCE_NAMES.find((name) => EARNING_SOURCES[name].page === found.to) ?? null;
  return { to: found.to, query: found.query ?? '', needsId: found.id !== undefined, source };
}

/** The id that a reference names, for the kinds whose page has one; null otherwise. */
export function idInReference(kind: string, reference: string): string | null {
  const pattern = Object.hasOwn(facts, kind) ? facts[kind]?.id : undefined;
  return pattern?.exec(reference)?.[1] ?? null;
}

/** A cursor of a statement in an address: `<time in ms>.<transaction>.<number of the line>`. */
export const STATEMENT_CURSOR = /^(\d{1,15})\.([\w-]{1,64})\.(\d{1,9})$/;

/** The notifications that users get when staff change their credits (`shell:notification.<kind>`). */

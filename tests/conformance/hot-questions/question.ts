import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import { crowdId } from '#tests/support/crowd.ts';

/** Sends the statements of a question. */
export type Ask = (kysely: Kysely<DB>, raw: Raw) => Promise<unknown>;
/** Hot questions, and along which index each walks or finds the rows of tables that grow without bound. */
export type Questions = Readonly<Record<string, { readonly ask: Ask; readonly reads: readonly string[] }>>;

/** The first page of a list that knows its addresses. */
export const FIRST_PAGE = { offset: 0, limit: 25, nowMs: 0, byAddress: true };
/** Where a page begins that goes on behind another. */
export const SEEN_PLACE = { value: 5, id: crowdId(5) };

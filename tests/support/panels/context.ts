import type { Daemons } from './daemon.ts';
import { notFound } from './errors.ts';
import { createPresenter, type Item, type Presenter, type Shown } from './present.ts';
import { paged, selected, type Includes, type Listing } from './query.ts';
import type { Body, KeyRow, NodeRow, ServerRow } from './rows.ts';
import type { PanelState } from './state.ts';

/** What a handler knows of a request. */
export interface Call {
  readonly state: PanelState;
  readonly daemons: Daemons;
  readonly key: KeyRow;
  /** Parts of the path, decoded. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly includes: Includes;
  readonly show: Presenter;
  /** Address of the panel, without a path. */
  readonly origin: string;
  readonly path: string;
  /**
   * Lets every other request go on: what is checked before it may be different after it, as on the real panel (5,
   * "races").
   */
  readonly yieldToOthers: () => Promise<void>;
}
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}
export type Handler = (call: Call) => Answer | Promise<Answer>;
/** A route: method, path with `{id}` (digits), `{name}` (one piece) and `{rest?}`, the right it needs, and its work. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly right: string;
  readonly work: Handler;
}

export const NO_CONTENT: Answer = { status: 204, body: null };
export const ok = (body: unknown): Answer => ({ status: 200, body });
/** 201, with the address of the new thing; servers have none (2). */
export function made(item: Item, address: string | null): Answer {
  return { status: 201, body: address === null ? item : { ...item, meta: { resource: address } } };
}
/** A page of rows, filtered and sorted. */
export function listed<T>(call: Call, rows: readonly T[], listing: Listing<T>, show: (row: T) => Item): Answer {
  const page = paged(selected(rows, call.query, listing), call.query, call.origin + call.path);
  return ok({ object: 'list', data: page.rows.map(show), meta: page.meta });
}
export const whole = (data: readonly Item[]): Shown => ({ object: 'list', data });
/** The row a numeric id in the path stands for; 404 where there is none, and for ids that are no numbers (5). */
export function rowOf<T>(rows: ReadonlyMap<number, T>, id: string | undefined): T {
  const row = /^\d{1,12}$/.test(id ?? '') ? rows.get(Number(id)) : undefined;
  if (!row) throw notFound();
  return row;
}
export function nodeOf(state: PanelState, server: ServerRow): NodeRow {
  const node = state.nodes.get(server.nodeId);
  if (!node) throw notFound();
  return node;
}
export { createPresenter };

import type { AreaName } from '#shared/resources/index.ts';

/** A row by its field names, with values as they stand in an answer: times as ISO texts, switches as booleans. */
export type CrudValues = Readonly<Record<string, unknown>>;

export interface CrudQuery {
  /** Now, for states that depend on it. */
  readonly nowMs: number;
  readonly offset: number;
  readonly limit: number;
  readonly sort: { readonly field: string; readonly dir: 'asc' | 'desc' };
  /** Rows that hold the text in one of the fields, without case. */
  readonly search?: { readonly fields: readonly string[]; readonly text: string } | undefined;
  /** Field → value as it stands in the address. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Rows of one admin area. Field names come from its definition, never from a request. */
export interface CrudStore {
  /** The rows of one page, without counting the others. */
  rows(query: CrudQuery): Promise<CrudValues[]>;
  list(query: CrudQuery): Promise<{ rows: CrudValues[]; total: number }>;
  find(id: string, nowMs: number): Promise<CrudValues | null>;
  /** Adds a row. Throws VALIDATION_FAILED with the field whose value must be unique and is not. */
  insert(values: CrudValues): Promise<void>;
  /** Writes to the row if its `updated_at` still is `seen`; false otherwise. Throws like `insert`. */
  update(id: string, seen: string, values: CrudValues): Promise<boolean>;
  /** Keeps others from changing or using the row until the transaction ends; false where there is none. */
  lock(id: string): Promise<boolean>;
  /**
   * Takes the row away; false where there is none. Throws IN_USE where the database still finds something that needs
   * it.
   */
  remove(id: string): Promise<boolean>;
  /** How many of each kind depend on the row. */
  dependants(id: string): Promise<Readonly<Record<string, number>>>;
}
export interface CrudRepo {
  area(name: AreaName): CrudStore;
}

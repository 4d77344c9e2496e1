import type { TokenScope } from '#shared/token-scopes.ts';

/** A key of the API. The token itself is stored nowhere; `tokenHash` is its SHA-256. */
export interface ApiTokenRow {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly tokenHash: string;
  /** Its last four characters, by which its owner tells it from others. */
  readonly tail: string;
  readonly scopes: readonly TokenScope[];
  /** Addresses and networks it may be used from; none: from everywhere. */
  readonly addresses: readonly string[];
  readonly createdMs: number;
  /** Null: it has no end. */
  readonly expiresMs: number | null;
  /** When and from where it was last used; null: never. */
  readonly usedMs: number | null;
  readonly usedAddress: string | null;
}

/** Keys of the API in the database. */
export interface ApiTokensRepo {
  add(token: Omit<ApiTokenRow, 'usedMs' | 'usedAddress'>): Promise<void>;
  findByHash(tokenHash: string): Promise<ApiTokenRow | null>;
  /** The latest first. */
  list(userId: string): Promise<ApiTokenRow[]>;
  count(userId: string): Promise<number>;
  /** Moves the last use, only forward. */
  recordUse(id: string, atMs: number, address: string): Promise<void>;
  /** Removes a token of the user. Out: the one that is gone; null when there is none. */
  remove(id: string, userId: string): Promise<Pick<ApiTokenRow, 'id' | 'name'> | null>;
  /** Removes all tokens of the user. Out: those that are gone. */
  removeAll(userId: string): Promise<Pick<ApiTokenRow, 'id' | 'name'>[]>;
  /** Deletes what expired before `beforeMs`. */
  purge(beforeMs: number): Promise<void>;
}

/** Networks, ready to be asked. */
interface Networks {
  readonly size: number;
  has(address: string): boolean;
}
/** Reads addresses, networks and ranges, one a line. Out: them, and the numbers of lines that are none. */
export type ParseNetworks = (text: string) => { readonly set: Networks; readonly faults: readonly number[] };

import type { ImageObject, StoreName } from '#server/modules/images/ports.ts';
import type { ImageType } from '#shared/images.ts';

/** The columns of an object `o`, beside those of what shows it. */
export const OBJECT_COLUMNS = `o.hash, o.key, o.store, o.type, o.width, o.height, o.bytes AS object_bytes, o.bytes_all`;

export interface ObjectRow {
  hash: string;
  key: string;
  store: string;
  type: string;
  width: number;
  height: number;
  object_bytes: number;
  bytes_all: number;
}

export const toObject = (row: ObjectRow): ImageObject => ({
  hash: row.hash,
  key: row.key,
  store: row.store as StoreName,
  type: row.type as ImageType,
  width: row.width,
  height: row.height,
  bytes: row.object_bytes,
  bytesAll: row.bytes_all,
});

/** A name as it is searched. */
export const toNameKey = (name: string): string => name.normalize('NFKC').toLowerCase();

/** The pattern of names that hold a text, with `!` before what means something else. */
export const holding = (search: string): string => `%${toNameKey(search).replaceAll(/[!%_]/g, '!$&')}%`;

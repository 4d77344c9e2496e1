/** A checksum that a source publishes, as hexadecimal text. */
interface Checksum {
  readonly kind: 'sha256' | 'sha1' | 'md5';
  readonly value: string;
}
/** A file of a source. */
export interface SourceFile {
  readonly url: string;
  /** Where it lies in its entry. */
  readonly path: string;
  /** Null: its source publishes none. */
  readonly checksum: Checksum | null;
  /** Bytes that its source says it has; null: it does not say. */
  readonly size: number | null;
}
/** What a machine keeps once for all its servers: a folder that nobody changes. */
export interface Entry {
  /** What is in it, down to the build: another build is another entry. */
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** Its only file is an archive, and the entry is what is in it. */
  readonly unpack?: Unpacking;
  /** Short texts that go along, by path. */
  readonly texts?: Readonly<Record<string, string>>;
}
export interface Unpacking {
  readonly kind: 'tar.gz' | 'tar.xz' | 'zip';
  /** Folders that everything in it lies in and that are left out. */
  readonly strip: number;
  /** Only what lies in this folder behind them; absent: all. */
  readonly only?: string;
  /** Programs that the archive does not mark as such. */
  readonly programs?: readonly string[];
}
/** Ingredients of a recipe, which a server is run with (`/opt/spawnpoint/<ingredient>` in its sandbox). */
export type Ingredient = 'game' | 'base' | 'java';
/** What has to be there for one version of a game. */
export interface Plan {
  /** The version itself, never a word like `latest`. */
  readonly version: string;
  readonly ingredients: Readonly<Partial<Record<Ingredient, Entry>>>;
}

/** Why a download failed, in words for the console. */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';
}

/** A checksum of a source. Throws DownloadFailed where it is none. */
export function checksumOf(kind: Checksum['kind'], text: string): Checksum {
  const value = text.trim().toLowerCase();
  if (value.length !== { sha256: 64, sha1: 40, md5: 32 }[kind] || !/^[0-9a-f]+$/.test(value))
    throw new DownloadFailed('The source publishes a checksum that is none.');
  return { kind, value };
}

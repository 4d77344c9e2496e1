interface SkinRow {
  readonly userId: string;
  /** The picture, base64: a few KB, because it is always re-encoded. */
  readonly png: string;
  /** SHA-256 of `png`, hex. */
  readonly sha256: string;
  readonly updatedMs: number;
}

export interface SkinsRepo {
  find(userId: string): Promise<SkinRow | null>;
  /** The fingerprint alone. */
  fingerprint(userId: string): Promise<string | null>;
  /** Adds or replaces. */
  put(row: SkinRow): Promise<void>;
  /** Out: whether there was one. */
  remove(userId: string): Promise<boolean>;
}

/** Reads a picture from outside and draws it anew, so that nothing but its pixels is left. */
export interface SkinCodec {
  /**
   * Out: a fresh PNG, or what is wrong: `format` not a readable PNG, `size` not the size of a skin. Never throws for
   * what the file says.
   */
  clean(file: Uint8Array): Uint8Array<ArrayBuffer> | 'format' | 'size';
}

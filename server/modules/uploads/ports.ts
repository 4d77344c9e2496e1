/** Files that a browser sends in parts, by names that it made up: UUIDs. */
export interface IncomingFiles {
  /** The id of what a whole file became; null where it is none yet. */
  find(upload: string): string | null;
  /** Bytes that there are so far; 0: none. */
  received(upload: string): Promise<number>;
  /** Writes a part at its place; the first begins the file. Out: false where the disk is full; then it is gone. */
  write(
    upload: string,
    part: { readonly at: number; readonly bytes: Uint8Array; readonly nowMs: number },
  ): Promise<boolean>;
  /** Takes the whole file in. Out: its id; null where it is not of the kind that is taken; then it is gone. */
  finish(upload: string, nowMs: number): Promise<string | null>;
}

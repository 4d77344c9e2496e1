import type { LineKind } from './ports.ts';

/** A file of a message, or of one that is being written. */
export interface Attachment {
  readonly id: string;
  readonly authorId: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** Pixels of a picture; of a text null. */
  readonly width: number | null;
  readonly height: number | null;
  readonly createdMs: number;
}

/** The forms in which a file is kept; a text has no preview. */
export type AttachmentForm = 'whole' | 'preview';

/** The bytes of files of messages. */
export interface AttachmentFiles {
  write(id: string, form: AttachmentForm, bytes: Uint8Array): Promise<void>;
  /** Null where there is none. */
  read(id: string, form: AttachmentForm): Promise<Uint8Array<ArrayBuffer> | null>;
  /** Removes every form; nothing happens where there is none. */
  remove(id: string): Promise<void>;
}

/** Looks for viruses in a file as it was sent; `away`: nobody could say. Never throws. */
export type FileScanner = (file: Uint8Array) => Promise<'clean' | 'infected' | 'away'>;

export interface AttachmentsRepo {
  /** Adds a file that belongs to no message yet. */
  add(attachment: Attachment): Promise<void>;
  /** A file with whose ticket it is in and in what kind of line; null for both before it is sent. */
  find(id: string): Promise<(Attachment & { readonly ownerId: string | null; readonly kind: LineKind | null }) | null>;
  /** Makes unsent files of an author those of a line. Out: how many there were of them. */
  bind(
    ids: readonly string[],
    line: { readonly authorId: string; readonly ticketId: string; readonly seq: number },
  ): Promise<number>;
  /** Files of some lines, from the first number to the last, in their order. */
  listOfLines(ticketId: string, from: number, to: number): Promise<(Attachment & { readonly seq: number })[]>;
  /** Bytes of all files of an author. */
  usedBytes(authorId: string): Promise<number>;
  /** Lets an author's unsent files expire, but for the newest. */
  expireUnsent(authorId: string, keep: number): Promise<void>;
  /** Takes files that were not sent before a moment away from their authors, so that they can be deleted. Out: ids. */
  takeUnsent(beforeMs: number, limit: number): Promise<string[]>;
  remove(ids: readonly string[]): Promise<void>;
}

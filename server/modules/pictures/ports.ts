import type { FieldCode } from '#shared/errors.ts';
import type { DrawnKind, PictureKind } from '#shared/pictures.ts';

/** A form of a picture, drawn anew: nothing but its pixels is left of the file. */
export interface DrawnForm {
  readonly name: string;
  readonly type: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads a picture from outside and draws its forms. */
export interface PictureCodec {
  /** Out: every form of the kind, or what is wrong with the file. Never throws for what the file says. */
  draw(kind: DrawnKind, file: Uint8Array<ArrayBuffer>): Promise<readonly DrawnForm[] | FieldCode>;
}

/** A form as it is kept. */
export interface StoredForm {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface PicturesRepo {
  /** Adds a picture with all its forms. One that is there stays, and counts as added now. */
  add(picture: { id: string; kind: PictureKind; createdMs: number; forms: readonly DrawnForm[] }): Promise<void>;
  /** The kind of a picture; null where it is not there. */
  kindOf(id: string): Promise<PictureKind | null>;
  findForm(id: string, name: string): Promise<StoredForm | null>;
  /** Pixels of each form by its name. */
  sizesOf(id: string): Promise<Readonly<Record<string, { readonly width: number; readonly height: number }>>>;
  /** Every picture, the newest first. */
  list(): Promise<{ readonly id: string; readonly createdMs: number }[]>;
  remove(ids: readonly string[]): Promise<void>;
}

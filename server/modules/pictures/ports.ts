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

/** Pixels of each form by its name. */
export type FormSizes = Readonly<Record<string, { readonly width: number; readonly height: number }>>;

export interface PicturesRepo {
  /** Adds a picture with all its forms. One that is there stays, and counts as added now. */
  add(picture: {
    id: string;
    kind: PictureKind;
    createdMs: number;
    forms: readonly DrawnForm[];
    /** What of the library it was drawn of; null: of a file. */
    libraryHash: string | null;
  }): Promise<void>;
  /** Ids of the pictures that were drawn of a content of the library. */
  listOfLibrary(hash: string): Promise<string[]>;
  /** The kind of a picture; null where it is not there. */
  kindOf(id: string): Promise<PictureKind | null>;
  findForm(id: string, name: string): Promise<StoredForm | null>;
  /** Pixels of each form of some pictures, by id; those that are not there are left out. */
  sizesOf(ids: readonly string[]): Promise<ReadonlyMap<string, FormSizes>>;
  /** Every picture, the newest first. */
  list(): Promise<{ readonly id: string; readonly createdMs: number }[]>;
  remove(ids: readonly string[]): Promise<void>;
}

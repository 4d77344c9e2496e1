import type { ErrorCode } from '#shared/errors.ts';
import type { ImageForm, ImageOrder, ImageType } from '#shared/images.ts';
import type { CreatedCursor } from '../export-steps.ts';

type FormBytes = Readonly<Record<ImageForm, Uint8Array<ArrayBuffer>>>;
/** An image drawn anew in all its forms: nothing but its pixels is left of the file. */
export interface DrawnImage {
  readonly type: ImageType;
  /** Pixels of the whole. */
  readonly width: number;
  readonly height: number;
  readonly forms: FormBytes;
  /** SHA-256 of the whole as it is stored, in hex. */
  readonly hash: string;
}
/** What is wrong with a file, or with the moment. */
export type ImageFault = Extract<ErrorCode, 'IMAGE_FORMAT' | 'IMAGE_MOVING' | 'IMAGE_PIXELS' | 'IMAGE_BUSY'>;

/** Reads an image from outside and draws its forms. */
export interface ImageCodec {
  /** Never throws for what the file says. `IMAGE_BUSY`: too many wait already. */
  draw(file: Uint8Array<ArrayBuffer>): Promise<DrawnImage | ImageFault>;
  /** Ends what is running. */
  stop(): void;
}

export type StoreName = 'disk' | 's3';
/** Where the files of images are, by the keys of their objects. Keys are ours: lower-case hex and a hyphen. */
export interface ImageStore {
  /** Stores all forms; on the disk for good when it resolves. Storing them again is fine. */
  write(key: string, forms: FormBytes): Promise<void>;
  /** A form; null where it is not there. */
  open(key: string, form: ImageForm): Promise<Blob | null>;
  /** Removes all forms; none there is fine. */
  remove(key: string): Promise<void>;
}
/** The stores; `current` is where new images go. */
export interface ImageStores {
  current(): StoreName;
  readonly disk: ImageStore;
  readonly s3: ImageStore;
}

/** What is stored of one content, however many images show it. */
export interface ImageObject {
  readonly hash: string;
  /** Names its files, in the store; never used again. */
  readonly key: string;
  readonly store: StoreName;
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  /** Of the whole, and of all forms together. */
  readonly bytes: number;
  readonly bytesAll: number;
}
/** An image of a user. */
export interface HostedImage {
  readonly id: string;
  readonly userId: string;
  /** Of the file, cleaned. */
  readonly name: string;
  readonly price: number;
  readonly views: number;
  /** Since when staff keep it from everybody; null: they do not. */
  readonly hiddenMs: number | null;
  readonly createdMs: number;
  readonly object: ImageObject;
}
interface NewImage extends Omit<HostedImage, 'object' | 'views' | 'hiddenMs'> {
  readonly uploadId: string;
  readonly hash: string;
  /** Counted against the quota: all forms together. */
  readonly bytes: number;
}
/** A picture of the host's own. */
export interface LibraryImage {
  readonly id: string;
  readonly name: string;
  /** Username of who added it; null: the account is gone. */
  readonly by: string | null;
  readonly createdMs: number;
  readonly object: ImageObject;
}
export interface ImageUsage {
  readonly images: number;
  readonly bytes: number;
}
/** A place in a library: what it is ordered by, and the id. */
export interface LibraryCursor {
  readonly value: number;
  readonly id: string;
}
export interface LibraryQuery {
  readonly order: ImageOrder;
  /** What names hold; empty: any. */
  readonly search: string;
  readonly after: LibraryCursor | null;
  readonly limit: number;
}
/** A form of an image as it is sent. */
export interface ImageFile {
  readonly type: ImageType;
  readonly body: Blob;
  readonly version: string;
}
/** How an owner words the card of links to their images. */
export interface ImageEmbed {
  readonly enabled: boolean;
  readonly title: string;
  readonly description: string;
  readonly author: string;
  /** `#rrggbb`, or empty. */
  readonly color: string;
}
export interface UploadKey {
  readonly userId: string;
  readonly tail: string;
  readonly createdMs: number;
  readonly usedMs: number | null;
}

export interface ImagesRepo {
  /** The object of a content, locked until the transaction ends. */
  lockObject(hash: string): Promise<ImageObject | null>;
  /** Adds an object, unless there is one of this content. */
  addObject(object: ImageObject, nowMs: number): Promise<void>;
  touchObject(hash: string, nowMs: number): Promise<void>;
  /** Hashes of objects that no image has and that were used last before a moment, at most `limit`. */
  listUnused(beforeMs: number, limit: number): Promise<string[]>;
  /** Removes an object that no image has and that was used last before a moment; false where there is none. */
  removeObject(hash: string, beforeMs: number): Promise<boolean>;
  add(image: NewImage): Promise<void>;
  find(id: string): Promise<HostedImage | null>;
  /** The same, locked until the transaction ends. */
  lock(id: string): Promise<HostedImage | null>;
  findByUpload(userId: string, uploadId: string): Promise<HostedImage | null>;
  remove(id: string): Promise<void>;
  setHidden(id: string, hiddenMs: number | null): Promise<void>;
  /** Whether a content is refused. */
  isBlocked(hash: string): Promise<boolean>;
  block(hash: string, nowMs: number): Promise<void>;
  /** Out: whether it was refused. */
  unblock(hash: string): Promise<boolean>;
  /** Refused contents that images may have still, at most `limit`. */
  listToClear(limit: number): Promise<string[]>;
  setCleared(hash: string): Promise<void>;
  /** Images of a content, at most `limit`. */
  listOfContent(hash: string, limit: number): Promise<readonly { readonly id: string; readonly userId: string }[]>;
  list(userId: string, query: LibraryQuery): Promise<HostedImage[]>;
  /** Images of a user, the oldest first, behind the one that was added at `after`; null: from the first on. */
  listAll(userId: string, after: CreatedCursor | null, limit: number): Promise<HostedImage[]>;
  /** Images of a user since a moment, counted up to `most`. */
  countSince(userId: string, sinceMs: number, most: number): Promise<number>;
  usage(userId: string): Promise<ImageUsage>;
  /** Adds to what a user has; negative numbers take away. */
  addUsage(userId: string, change: ImageUsage): Promise<void>;
  addViews(id: string, views: number): Promise<void>;
  /** Bytes that the images of a user sent on a day. */
  trafficOf(userId: string, day: string): Promise<number>;
  /** Adds to what the images of a user sent on a day. Out: bytes of the day so far. */
  addTraffic(userId: string, day: string, bytes: number): Promise<number>;
  removeTrafficBefore(day: string): Promise<void>;
  listLibrary(query: Omit<LibraryQuery, 'order'>): Promise<LibraryImage[]>;
  findLibrary(id: string): Promise<LibraryImage | null>;
  addLibrary(image: {
    readonly id: string;
    readonly hash: string;
    readonly name: string;
    readonly createdBy: string;
    readonly createdMs: number;
  }): Promise<void>;
  /** Out: whether there was one. */
  renameLibrary(id: string, name: string): Promise<boolean>;
  /** Out: whether there was one. */
  removeLibrary(id: string): Promise<boolean>;
  findKey(keyHash: string): Promise<UploadKey | null>;
  keyOf(userId: string): Promise<UploadKey | null>;
  /** Puts a key in the place of the one there may be. */
  putKey(key: { userId: string; keyHash: string; tail: string; createdMs: number }): Promise<void>;
  /** Out: whether there was one. */
  removeKey(userId: string): Promise<boolean>;
  setKeyUsed(userId: string, nowMs: number): Promise<void>;
  embedOf(userId: string): Promise<ImageEmbed | null>;
  putEmbed(userId: string, embed: ImageEmbed): Promise<void>;
}

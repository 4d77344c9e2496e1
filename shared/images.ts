const MB = 1024 * 1024;

/** Bytes of a file that is uploaded (behaviour 5.5), and pixels that it may unpack to (attacks T42). */
export const IMAGE_MAX_BYTES = 8 * MB;
export const IMAGE_MAX_PIXELS = 40_000_000;
/** Bytes of a form with one such file: what stands around it is small. */
export const IMAGE_FORM_MAX_BYTES = IMAGE_MAX_BYTES + 64 * 1024;
/** Images of one user, whatever their size: what searches and sorts them reads them all. */
export const IMAGES_MAX = 10_000;
/** How long after its upload a deleted image is paid back, in ms. */
export const IMAGE_REFUND_MS = 60_000;
/** Uploads of a user within ten minutes. */
export const IMAGE_UPLOADS_MAX = 120;
/** Images that are deleted at once. */
export const IMAGES_AT_ONCE = 100;
/** Images of a page of one's library. */
export const IMAGES_A_PAGE = 24;
/** Characters of a file's name. */
export const IMAGE_NAME_MAX = 120;
/** What browsers offer to choose from; the file's own bytes decide. */
export const IMAGE_CHOICES = 'image/png,image/jpeg,image/gif,image/webp';
/** What a file is stored as, and the ending of its address. */
export const IMAGE_ENDINGS = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
export type ImageType = keyof typeof IMAGE_ENDINGS;
export const IMAGE_TYPES = Object.keys(IMAGE_ENDINGS) as ImageType[];
/** The forms of an image: as it was sent, and two smaller ones (WebP), by the most pixels of each side. */
export const IMAGE_FORMS = ['full', 'medium', 'small'] as const;
export type ImageForm = (typeof IMAGE_FORMS)[number];
export const IMAGE_SIDES = { medium: 1280, small: 320 } as const;
/** The orders of a library. */
export const IMAGE_ORDERS = ['newest', 'largest', 'views'] as const;
export type ImageOrder = (typeof IMAGE_ORDERS)[number];

/** The id of an image: 16 random bytes, base64url. It tells nothing of whose it is, and cannot be guessed. */
export const IMAGE_ID = /^[\w-]{22}$/;
const FILE = /^\/i\/([\w-]{22})(?:\.(medium|small))?\.(png|jpg|webp)$/;

/** The path of a form of an image; what it shows never changes. */
export function imagePath(id: string, type: ImageType, form: ImageForm = 'full'): string {
  return form === 'full' ? `/i/${id}.${IMAGE_ENDINGS[type]}` : `/i/${id}.${form}.webp`;
}

/** What the path of a file names; null where it is none. The ending of the whole image is checked where it is known. */
export function parseImagePath(path: string): { id: string; form: ImageForm; ending: string } | null {
  const [, id, form = 'full', ending] = FILE.exec(path) ?? [];
  return id === undefined || ending === undefined || (form !== 'full' && ending !== 'webp')
    ? null
    : { id, form: form as ImageForm, ending };
}

/** What an upload key looks like: a beginning that scanners of leaked secrets can look for, and 32 random bytes. */
export const UPLOAD_KEY_PREFIX = 'spu_';
const UPLOAD_KEY = /^spu_[\w-]{43}$/;
/** Whether a secret is written as an upload key. */
export const isUploadKey = (secret: string): boolean => UPLOAD_KEY.test(secret);

/** Characters of what an owner words a card with. */
export const EMBED_TEXT_MAX = { title: 100, description: 300, author: 60 } as const;

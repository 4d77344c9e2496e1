import type { DrawnImage, ImageFault } from '#server/modules/images/index.ts';
import { IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS, IMAGE_SIDES, type ImageType } from '#shared/images.ts';
import { isMoving } from './moving.ts';

/** What a file is stored as, by what it is. A drawing (SVG) or a document is none of them. */
const STORED_AS: Readonly<Record<string, ImageType>> = {
  png: 'image/png',
  gif: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};
/** Quality of a whole picture, which people look at closely, and of smaller ones. */
const QUALITY = 90;
const SMALL_QUALITY = 80;

/**
 * Draws an image of a user's anew in all its forms: only pixels are left of a file, its place, camera and anything
 * behind the picture are not (attacks T42). In: bytes of unknown origin. Out: the forms, or what is wrong. Its size is
 * known before anything is unpacked. Takes up to seconds and some hundred megabytes: see image-codec.ts.
 */
export async function drawImage(file: Uint8Array<ArrayBuffer>): Promise<DrawnImage | ImageFault> {
  try {
    if (isMoving(file)) return 'IMAGE_MOVING';
    const open = (bytes: Uint8Array<ArrayBuffer>) => new Bun.Image(bytes, { maxPixels: IMAGE_MAX_PIXELS });
    const { format } = await open(file).metadata();
    const wanted = Object.hasOwn(STORED_AS, format) ? STORED_AS[format] : undefined;
    if (!wanted) return 'IMAGE_FORMAT';
    let type = wanted;
    let full = await encode(open(file), type);
    // Colours that a palette held may need many times the room.
    if (full.byteLength > IMAGE_MAX_BYTES) {
      type = 'image/webp';
      full = await encode(open(file), type);
    }
    const small = async (from: Uint8Array<ArrayBuffer>, side: number) =>
      new Uint8Array(
        await open(from)
          .resize(side, side, { fit: 'inside', withoutEnlargement: true })
          .webp({ quality: SMALL_QUALITY })
          .bytes(),
      );
    const medium = await small(file, IMAGE_SIDES.medium);
    const forms = { full, medium, small: await small(medium, IMAGE_SIDES.small) };
    const { width, height } = await open(full).metadata();
    return { type, width, height, forms, hash: new Bun.CryptoHasher('sha256').update(full).digest('hex') };
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_IMAGE_TOO_MANY_PIXELS' ? 'IMAGE_PIXELS' : 'IMAGE_FORMAT';
  }
}

async function encode(image: Bun.Image, type: ImageType): Promise<Uint8Array<ArrayBuffer>> {
  const encoded =
    type === 'image/png'
      ? image.png()
      : type === 'image/jpeg'
        ? image.jpeg({ quality: QUALITY })
        : image.webp({ quality: QUALITY });
  return new Uint8Array(await encoded.bytes());
}

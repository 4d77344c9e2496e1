import type { DrawnForm } from '#server/modules/pictures/index.ts';
import type { FieldCode } from '#shared/errors.ts';
import { DRAWN_FORMS, ICON_MIN, PICTURE_MAX_PIXELS, type DrawnKind } from '#shared/pictures.ts';

/** What is decoded. A moving picture, a drawing (SVG) or a document is refused. */
const FORMATS: readonly string[] = ['png', 'jpeg', 'webp'];
const QUALITY = 84;

/**
 * Draws every form of a picture anew: only pixels and their colour profile are left of a file, its place and camera are
 * not (attacks T42). In: bytes of unknown origin. Out: the forms, or what is wrong. The size is known before anything
 * is unpacked, so a small file cannot become a large one. Keeps its thread busy for up to seconds.
 */
export async function drawPicture(
  kind: DrawnKind,
  file: Uint8Array<ArrayBuffer>,
): Promise<readonly DrawnForm[] | FieldCode> {
  try {
    const open = () => new Bun.Image(file, { maxPixels: PICTURE_MAX_PIXELS });
    const { width, height, format } = await open().metadata();
    if (!FORMATS.includes(format)) return 'PICTURE_FORMAT';
    if (kind === 'icon' && width !== height) return 'PICTURE_SQUARE';
    if (kind === 'icon' && width < ICON_MIN) return 'PICTURE_SMALL';
    const forms: DrawnForm[] = [];
    for (const form of DRAWN_FORMS[kind]) {
      const image = open().resize(form.width, form.height, { fit: 'inside', withoutEnlargement: true });
      const bytes = await encode(image, form.type);
      const drawn = await new Bun.Image(bytes).metadata();
      forms.push({ name: form.name, type: form.type, width: drawn.width, height: drawn.height, bytes });
    }
    return forms;
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_IMAGE_TOO_MANY_PIXELS' ? 'PICTURE_PIXELS' : 'PICTURE_FORMAT';
  }
}

async function encode(image: Bun.Image, type: DrawnForm['type']): Promise<Uint8Array<ArrayBuffer>> {
  const encoded =
    type === 'image/png'
      ? image.png()
      : type === 'image/jpeg'
        ? image.jpeg({ quality: QUALITY })
        : image.webp({ quality: QUALITY });
  return new Uint8Array(await encoded.bytes());
}

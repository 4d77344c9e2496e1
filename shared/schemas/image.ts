import * as z from 'zod/mini';
import { isHexColour } from '../hex-colour.ts';
import { EMBED_TEXT_MAX, IMAGE_ID, IMAGES_AT_ONCE } from '../images.ts';
import { line } from './primitives.ts';

export const imageId = z.string().check(z.regex(IMAGE_ID, 'INVALID'));

/** Images that are deleted together. */
export const imagesDeleteInput = z.strictObject({
  ids: z.array(imageId).check(z.minLength(1, 'REQUIRED'), z.maxLength(IMAGES_AT_ONCE)),
});

/** How an owner words the card of links to their images. Empty texts are left out of it. */
export const imageEmbedInput = z.strictObject({
  enabled: z.boolean(),
  title: line(0, EMBED_TEXT_MAX.title),
  description: line(0, EMBED_TEXT_MAX.description),
  author: line(0, EMBED_TEXT_MAX.author),
  color: z.string().check(z.refine((color) => color === '' || isHexColour(color), 'INVALID')),
});
export type ImageEmbedInput = z.infer<typeof imageEmbedInput>;

import * as z from 'zod/mini';
import { IMAGE_MAX_BYTES, IMAGE_NAME_MAX } from '../images.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { PICTURE_KINDS, PICTURE_UPLOAD_TYPE } from '../pictures.ts';
import { isoTime, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const libraryImage = z.object({
  id: z.string(),
  name: z.string(),
  /** Paths of this installation: the whole, and its smaller forms by their width in pixels. */
  url: z.string(),
  forms: z.array(z.object({ url: z.string(), width: z.int() })),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  /** Username; null: the account is gone. */
  by: z.nullable(z.string()),
  created_at: isoTime,
});
export type LibraryImageView = z.infer<typeof libraryImage>;

/** Pictures of the host's own, for announcements, eggs and the look. */
export const adminImages = group({
  list: {
    method: 'GET',
    path: '/api/admin/images',
    summary: 'List the library of images',
    query: z.object({
      q: z.optional(text(0, 100)),
      after: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))),
    }),
    access: 'admin.images.list',
    errors: [],
    response: z.object({
      rows: z.array(libraryImage),
      /** Where the next page begins; null: there is none. */
      older: z.nullable(z.string()),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/images/:id',
    summary: 'Get an image of the library',
    description: 'With where it is shown.',
    params: z.object({ id: text(1, 64) }),
    access: 'admin.images.delete',
    errors: ['NOT_FOUND'],
    response: z.object({
      image: libraryImage,
      /**
       * Where it is shown. `name` null: a setting, or what the caller may not see. `by_address`: nothing is shown there
       * once it is deleted; elsewhere what was drawn of it stays.
       */
      uses: z.array(
        z.object({
          kind: z.enum(['setting', 'announcement', 'egg', 'category']),
          id: z.string(),
          name: z.nullable(z.string()),
          by_address: z.boolean(),
        }),
      ),
    }),
  },
  draw: {
    method: 'POST',
    path: '/api/admin/images/:id/pictures/:kind',
    summary: 'Make a picture of an image of the library',
    description:
      'For what shows pictures of this kind: a setting, an announcement, an egg or an egg category. It stays when the image is deleted.',
    params: z.object({ id: text(1, 64), kind: z.enum(PICTURE_KINDS) }),
    access: 'admin.images.list',
    limit: 'upload',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ id: z.string() }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/images',
    summary: 'Add an image to the library',
    description: 'The file becomes a picture of the library.',
    query: z.object({ name: z.optional(text(0, 1000)) }),
    ceiling: 'image',
    upload: { type: PICTURE_UPLOAD_TYPE, max: IMAGE_MAX_BYTES },
    access: 'admin.images.create',
    limit: 'imageUpload',
    errors: [
      'IMAGE_FORMAT',
      'IMAGE_MOVING',
      'IMAGE_PIXELS',
      'IMAGE_BUSY',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    response: z.object({ image: libraryImage }),
  },
  rename: {
    method: 'PATCH',
    path: '/api/admin/images/:id',
    summary: 'Rename an image of the library',
    description: 'Its address and what shows it stay. The name is cleaned as that of a file is.',
    params: z.object({ id: text(1, 64) }),
    body: z.object({ name: text(1, IMAGE_NAME_MAX) }),
    access: 'admin.images.edit',
    errors: ['NOT_FOUND'],
    response: z.object({ image: libraryImage }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/admin/images/:id',
    summary: 'Delete an image of the library',
    description: 'Its address shows nothing any more; pictures that were made of it stay.',
    params: z.object({ id: text(1, 64) }),
    access: 'admin.images.delete',
    errors: ['NOT_FOUND'],
  },
});

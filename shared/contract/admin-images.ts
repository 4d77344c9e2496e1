import * as z from 'zod/mini';
import { IMAGE_MAX_BYTES } from '../images.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { PICTURE_UPLOAD_TYPE } from '../pictures.ts';
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
    summary: 'List all images',
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
    summary: 'Get an image for staff',
    description: 'With what deleting it would delete.',
    params: z.object({ id: text(1, 64) }),
    access: 'admin.images.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ image: libraryImage }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/images',
    summary: 'Add an image for a user',
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
  delete: {
    method: 'DELETE',
    path: '/api/admin/images/:id',
    summary: 'Delete a user’s image',
    description: 'What shows it shows nothing in its place.',
    params: z.object({ id: text(1, 64) }),
    access: 'admin.images.delete',
    errors: ['NOT_FOUND'],
  },
});

import * as z from 'zod/mini';
import { IMAGE_FORM_MAX_BYTES, IMAGE_MAX_BYTES, IMAGE_ORDERS, parseImagePath } from '../images.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { PICTURE_UPLOAD_TYPE } from '../pictures.ts';
import { imageEmbedInput, imageId, imagesDeleteInput } from '../schemas/image.ts';
import { id, isoTime, queryInt, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const one = z.object({ id: imageId });
const flag = 'image_hosting_enabled';

/** An image as its owner sees it. */
const ownImage = z.object({
  id: z.string(),
  name: z.string(),
  /** What to give others: the page with the card, or the bare picture where the owner wants no card. */
  link: z.string(),
  /** The bare picture, for other pages. */
  url: z.string(),
  /** A small form, as a path of this installation, and the pixels of the whole. */
  thumbnail: z.string(),
  width: z.int(),
  height: z.int(),
  /** Bytes that count against one's space. */
  bytes: z.int(),
  views: z.int(),
  /** Staff keep it from everybody. */
  hidden: z.boolean(),
  created_at: isoTime,
  /** Until when its credits come back with its deletion; null: it cost none. */
  refund_until: z.nullable(isoTime),
});
export type OwnImage = z.infer<typeof ownImage>;
const embed = z.object(imageEmbedInput.shape);
const space = z.object({ images: z.int(), bytes: z.int(), most_bytes: z.int() });

const UPLOAD_ERRORS = [
  'IMAGE_FORMAT',
  'IMAGE_MOVING',
  'IMAGE_PIXELS',
  'IMAGE_BLOCKED',
  'IMAGE_QUOTA',
  'IMAGE_BUSY',
  'INSUFFICIENT_CREDITS',
  'SPENDING_BLOCKED',
  'ACCOUNT_FROZEN',
  'ACCOUNT_UNVERIFIED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

/** Images of users (behaviour 5.5). */
export const images = group({
  list: {
    method: 'GET',
    path: '/api/images',
    summary: 'List your images',
    query: z.object({
      order: z.optional(z.enum(IMAGE_ORDERS)),
      q: z.optional(text(0, 100)),
      after: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))),
    }),
    access: 'signed-in',
    flag,
    errors: [],
    response: z.object({
      rows: z.array(ownImage),
      /** Where the next page begins; null: there is none. */
      older: z.nullable(z.string()),
      space,
      /** Credits of one image. */
      price: z.int(),
      balance: z.int(),
    }),
  },
  upload: {
    method: 'POST',
    path: '/api/images',
    summary: 'Upload an image',
    description: '`upload` is an id that you make up: sent again, it is the same image.',
    query: z.object({ name: z.optional(text(0, 1000)), upload: id, price: z.optional(queryInt(0, 999_999_999)) }),
    ceiling: 'image',
    upload: { type: PICTURE_UPLOAD_TYPE, max: IMAGE_MAX_BYTES },
    access: 'signed-in',
    verified: true,
    flag,
    limit: 'imageUpload',
    errors: [...UPLOAD_ERRORS, 'PRICE_CHANGED'],
    response: z.object({ image: ownImage, balance: z.int() }),
  },
  send: {
    method: 'POST',
    path: '/api/images/upload',
    summary: 'Upload an image with an upload key',
    description:
      'For ShareX and other programs. The key stands in `Authorization: Bearer spu_…`; the body is a form with one file, or the file.',
    ceiling: 'imageForm',
    upload: {
      type: 'multipart/form-data',
      also: [PICTURE_UPLOAD_TYPE, 'image/png', 'image/jpeg', 'image/gif', 'image/webp'],
      max: IMAGE_FORM_MAX_BYTES,
    },
    access: 'open',
    flag,
    limit: 'imageUpload',
    worded: true,
    // What ShareX and its like show by.
    statuses: { ok: 201, INSUFFICIENT_CREDITS: 402, IMAGE_QUOTA: 507 },
    errors: [...UPLOAD_ERRORS, 'IMAGE_KEY_UNKNOWN', 'BAD_REQUEST'],
    response: z.object({
      id: z.string(),
      /** What to give others. */
      url: z.string(),
      thumbnail_url: z.string(),
      /** A page that asks, and deletes it then. */
      delete_url: z.string(),
      /** Bytes that count against one's space. */
      size: z.int(),
      credits_left: z.int(),
    }),
  },
  deleteMany: {
    method: 'POST',
    path: '/api/images/delete',
    summary: 'Delete several images',
    description: 'Within a minute of the upload, the credits come back.',
    body: imagesDeleteInput,
    access: 'signed-in',
    flag,
    errors: [],
    response: z.object({ deleted: z.int() }),
  },
  archive: {
    method: 'GET',
    path: '/api/images/archive',
    summary: 'Download all your images',
    description: 'As a ZIP file.',
    format: 'download',
    access: 'signed-in',
    limit: 'imageArchive',
    errors: ['RATE_LIMITED'],
  },
  config: {
    method: 'GET',
    path: '/api/images/config',
    summary: 'Get your image settings',
    description: 'How to upload from programs, and how links look.',
    access: 'signed-in',
    flag,
    errors: [],
    response: z.object({
      /** The upload key; null: there is none. What it is, nobody knows but who has it. */
      key: z.nullable(z.object({ tail: z.string(), created_at: isoTime, used_at: z.nullable(isoTime) })),
      upload_url: z.string(),
      embed,
    }),
  },
  createKey: {
    method: 'POST',
    path: '/api/images/key',
    summary: 'Make an upload key',
    description: 'The key before it no longer works.',
    access: 'signed-in',
    verified: true,
    flag,
    secret: true,
    errors: ['ACCOUNT_UNVERIFIED'],
    response: z.object({
      key: z.string(),
      /** The file that ShareX imports by a double click. */
      config: z.object({ filename: z.string(), text: z.string() }),
    }),
  },
  deleteKey: {
    method: 'DELETE',
    path: '/api/images/key',
    summary: 'Delete your upload key',
    access: 'signed-in',
    flag,
    errors: ['NOT_FOUND'],
  },
  setEmbed: {
    method: 'PUT',
    path: '/api/images/embed',
    summary: 'Change how links to your images look',
    body: imageEmbedInput,
    access: 'signed-in',
    flag,
    errors: ['VALIDATION_FAILED'],
  },
  get: {
    method: 'GET',
    path: '/api/images/:id',
    summary: 'Get an image’s page',
    description: 'With the card that its owner worded; also where nobody may upload any more.',
    params: one,
    access: 'open',
    errors: ['NOT_FOUND'],
    response: z.object({
      id: z.string(),
      name: z.string(),
      username: z.string(),
      /** Whole addresses, for other services; and a path of this installation. */
      url: z.string(),
      medium_url: z.string(),
      medium: z.string(),
      width: z.int(),
      height: z.int(),
      created_at: isoTime,
      embed,
    }),
  },
  deleteByToken: {
    method: 'POST',
    path: '/api/images/:id/delete',
    summary: 'Delete an image by its deletion link',
    params: one,
    body: z.strictObject({ token: text(1, 100) }),
    access: 'open',
    errors: ['NOT_FOUND'],
  },
  file: {
    method: 'GET',
    path: '/api/image-files/:name',
    summary: 'Get an image’s file',
    params: z.object({
      name: z.string().check(z.refine((name) => parseImagePath(`/i/${name}`) !== null, 'INVALID')),
    }),
    format: 'file',
    access: 'open',
    limit: 'imageFile',
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
  },
});

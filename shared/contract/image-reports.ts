import * as z from 'zod/mini';
import { REPORT_REASONS, REPORT_STATES } from '../image-reports.ts';
import {
  complaintId,
  imageComplaintInput,
  reportDecisionInput,
  reportDecisionsInput,
  reportNoteInput,
} from '../schemas/image-report.ts';
import { id, isoTime, listQuery, paging } from '../schemas/primitives.ts';
import { banInput } from '../schemas/staff-user.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const state = z.enum(REPORT_STATES);
const reason = z.enum(REPORT_REASONS);

/** Reports of images by anybody (behaviour 5.5): also while hosting is off, because what there is, is still shown. */
export const imageReports = group({
  create: {
    method: 'POST',
    path: '/api/image-reports',
    summary: 'Report an image',
    body: imageComplaintInput,
    access: 'open',
    limit: 'imageReport',
    errors: [
      'VALIDATION_FAILED',
      'NOT_FOUND',
      'RATE_LIMITED',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'CHALLENGE_UNAVAILABLE',
    ],
    /** The id under which its sender reads what became of it. */
    response: z.object({ id: complaintId }),
  },
  get: {
    method: 'GET',
    path: '/api/image-reports/:id',
    summary: 'Get what a report of an image is about',
    params: z.object({ id: complaintId }),
    access: 'open',
    errors: ['NOT_FOUND'],
    response: z.object({ state, created_at: isoTime }),
  },
});

const reportRow = z.object({
  id: z.string(),
  image_id: z.string(),
  /** Of the file; empty where its owner's account is gone. */
  name: z.string(),
  owner: z.string(),
  state,
  /** Of the first who reported it. */
  reason,
  complaints: z.int(),
  created_at: isoTime,
  last_at: isoTime,
  decided_at: z.nullable(isoTime),
  decided_by: z.nullable(z.string()),
});
export type ImageReportRow = z.infer<typeof reportRow>;

/** Reports of images for staff. */
export const adminImageReports = group({
  list: {
    method: 'GET',
    path: '/api/admin/image-reports',
    summary: 'List image reports',
    description: 'Open ones oldest first, all others newest first.',
    query: z.object({
      page: listQuery.page,
      per_page: listQuery.per_page,
      state: z.optional(state),
      reason: z.optional(reason),
    }),
    access: 'admin.image.reports.list',
    errors: [],
    response: z.object({ rows: z.array(reportRow), paging }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/image-reports/:id',
    summary: 'Get an image report',
    params: one,
    access: 'admin.image.reports.view',
    errors: ['NOT_FOUND'],
    response: z.object({
      report: z.extend(reportRow, { note: z.string() }),
      /** Null: the image is gone. */
      image: z.nullable(
        z.object({ width: z.int(), height: z.int(), bytes: z.int(), views: z.int(), created_at: isoTime }),
      ),
      /** Null: the account is gone. */
      owner: z.nullable(z.object({ id: z.string(), username: z.string(), banned: z.boolean() })),
      complaints: z.array(
        z.object({
          id: z.string(),
          reason,
          details: z.string(),
          /** Null: without a session, or the account is gone. */
          reporter: z.nullable(z.string()),
          created_at: isoTime,
        }),
      ),
      /** Its content is refused wherever it comes from. */
      blocked: z.boolean(),
      /** The report that waits longest besides. */
      next: z.nullable(z.string()),
    }),
  },
  picture: {
    method: 'GET',
    path: '/api/admin/image-reports/:id/picture/:form',
    summary: 'Get the picture of an image report',
    description: 'Also of a hidden image.',
    params: z.object({ id, form: z.enum(['small', 'medium']) }),
    format: 'file',
    access: 'admin.image.reports.view',
    errors: ['NOT_FOUND'],
  },
  decide: {
    method: 'POST',
    path: '/api/admin/image-reports/:id/decide',
    summary: 'Decide on an image report',
    params: one,
    body: reportDecisionInput,
    access: 'admin.image.reports.edit',
    errors: ['NOT_FOUND', 'REPORT_CLOSED'],
  },
  decideMany: {
    method: 'POST',
    path: '/api/admin/image-reports/decide',
    summary: 'Decide on several image reports',
    description: 'Each is decided or refused by itself.',
    body: reportDecisionsInput,
    access: 'admin.image.reports.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({
      done: z.int(),
      refused: z.array(z.object({ id, code: z.string() })),
    }),
  },
  ban: {
    method: 'POST',
    path: '/api/admin/image-reports/:id/ban',
    summary: 'Ban the uploader of a reported image',
    description: 'Takes the right to upload and deletes the image.',
    params: one,
    body: z.omit(banInput, { reject_held: true }),
    access: 'admin.image.reports.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LAST_OWNER', 'REPORT_CLOSED', 'BAN_INCOMPLETE', 'VALIDATION_FAILED'],
  },
  note: {
    method: 'PUT',
    path: '/api/admin/image-reports/:id/note',
    summary: 'Change the note of an image report',
    params: one,
    body: reportNoteInput,
    access: 'admin.image.reports.edit',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  allow: {
    method: 'POST',
    path: '/api/admin/image-reports/:id/allow',
    summary: 'Allow refused content again',
    params: one,
    access: 'admin.image.reports.edit',
    errors: ['NOT_FOUND'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/image-reports/:id',
    summary: 'Delete an image report',
    params: one,
    access: 'admin.image.reports.delete',
    errors: ['NOT_FOUND', 'REPORT_OPEN'],
  },
});

import * as z from 'zod/mini';
import { REPORT_STATES } from '#shared/image-reports.ts';
import { declareEvent } from './declare.ts';

const ofImage = { imageId: z.string(), userId: z.string(), name: z.string() };
const ofReport = { reportId: z.string(), imageId: z.string() };
const target = ({ reportId }: { reportId: string }) => reportId;
// The id, not the name of the file: that is its owner's, and goes with their account.
const named = ({ imageId }: { imageId: string }) => ({ name: imageId });

/** What happens to images of users by staff, and to what people report of them. */
export const IMAGE_EVENTS = {
  /** Staff keep it from everybody but its owner. */
  'image.hidden': declareEvent({
    version: 1,
    payload: z.object({ ...ofImage, atMs: z.number() }),
    outside: ['imageId', 'userId'],
    description: 'Staff hid an image.',
    notifications: [
      {
        kind: 'imageHidden',
        to: ({ userId }) => userId,
        data: ({ name }) => ({ name }),
        key: ({ imageId, atMs }) => `imageHidden:${imageId}:${atMs}`,
      },
    ],
  }),
  'image.shown': declareEvent({
    version: 1,
    payload: z.object({ ...ofImage, atMs: z.number() }),
    outside: ['imageId', 'userId'],
    description: 'Staff showed a hidden image again.',
    notifications: [
      {
        kind: 'imageShown',
        to: ({ userId }) => userId,
        data: ({ name }) => ({ name }),
        key: ({ imageId, atMs }) => `imageShown:${imageId}:${atMs}`,
      },
    ],
  }),
  /** Staff deleted it, or another of the same content. */
  'image.removed': declareEvent({
    version: 1,
    payload: z.object(ofImage),
    outside: ['imageId', 'userId'],
    description: 'Staff deleted an image.',
    notifications: [
      {
        kind: 'imageRemoved',
        to: ({ userId }) => userId,
        data: ({ name }) => ({ name }),
        key: ({ imageId }) => `imageRemoved:${imageId}`,
      },
    ],
  }),
  /** Somebody reported an image. */
  'image.reported': declareEvent({
    version: 1,
    payload: z.object(ofReport),
    outside: ['reportId', 'imageId'],
    description: 'Somebody reported an image.',
  }),
  /** Staff decided; `userId`: who had reported it. */
  'image.report_answered': declareEvent({
    version: 1,
    payload: z.object({ complaintId: z.string(), userId: z.string(), answer: z.enum(['upheld', 'rejected']) }),
    outside: [],
    notifications: [
      {
        kind: 'imageReportUpheld',
        to: ({ userId }) => userId,
        data: ({ complaintId }) => ({ complaint: complaintId }),
        key: ({ complaintId }) => `imageReportUpheld:${complaintId}`,
        when: ({ answer }) => answer === 'upheld',
      },
      {
        kind: 'imageReportRejected',
        to: ({ userId }) => userId,
        data: ({ complaintId }) => ({ complaint: complaintId }),
        key: ({ complaintId }) => `imageReportRejected:${complaintId}`,
        when: ({ answer }) => answer === 'rejected',
      },
    ],
  }),
  'image.report_decided': declareEvent({
    version: 1,
    payload: z.object({ ...ofReport, from: z.enum(REPORT_STATES), to: z.enum(REPORT_STATES) }),
    outside: ['reportId', 'imageId'],
    description: 'Staff decided on a reported image.',
    audit: {
      action: 'image_reports.decide',
      target,
      before: ({ imageId, from }) => ({ name: imageId, state: from }),
      after: ({ imageId, to }) => ({ name: imageId, state: to }),
    },
  }),
  'image.report_noted': declareEvent({
    version: 1,
    payload: z.object(ofReport),
    outside: [],
    audit: { action: 'image_reports.note', target, after: named },
  }),
  /** A content that was refused may be uploaded again. */
  'image.report_allowed': declareEvent({
    version: 1,
    payload: z.object(ofReport),
    outside: [],
    audit: { action: 'image_reports.allow', target, after: named },
  }),
  'image.report_deleted': declareEvent({
    version: 1,
    payload: z.object(ofReport),
    outside: [],
    audit: { action: 'image_reports.delete', target, before: named },
  }),
};

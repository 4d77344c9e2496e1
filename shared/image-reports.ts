import { IMAGE_ID, parseImagePath } from './images.ts';

/** Why somebody reports an image. */
export const REPORT_REASONS = ['inappropriate', 'copyright', 'spam', 'harassment', 'violence', 'other'] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];
/** Where a report stands. `hidden`: nobody sees the image, and staff may still decide; the last two are for good. */
export const REPORT_STATES = ['open', 'hidden', 'deleted', 'rejected'] as const;
export type ReportState = (typeof REPORT_STATES)[number];
/** What staff do about a report. */
export const REPORT_DECISIONS = ['hide', 'delete', 'reject'] as const;
export type ReportDecision = (typeof REPORT_DECISIONS)[number];

/** Characters of what somebody says beside the reason, and of the notes of staff. */
export const REPORT_DETAILS_MAX = 500;
export const REPORT_NOTE_MAX = 1000;
/** Characters of an address that somebody types or pastes. */
export const IMAGE_ADDRESS_MAX = 500;
/** Images that one person, or one network without a session, may report within a day. */
export const REPORTS_A_DAY = 20;

/** Reports that are decided by one call: a page of their list. */
export const REPORTS_AT_ONCE = 100;

/** The id of what somebody reported: only they know it. */
export const COMPLAINT_ID = /^[\w-]{22}$/;

/**
 * Which image an address names. In: the address of its page or of one of its files on whatever host, its path, or its
 * id. Out: the id; null where it names none.
 */
export function imageIdOf(address: string): string | null {
  const typed = address.trim();
  if (IMAGE_ID.test(typed)) return typed;
  const path = URL.parse(typed, 'https://host.invalid')?.pathname ?? '';
  const page = /^\/i\/([\w-]{22})\/?$/.exec(path)?.[1];
  return page ?? parseImagePath(path)?.id ?? null;
}

import * as z from 'zod/mini';
import {
  ANNOUNCEMENT_AUDIENCES,
  ANNOUNCEMENT_BODY_MAX,
  ANNOUNCEMENT_SUMMARY_MAX,
  ANNOUNCEMENT_TAG_MAX,
  ANNOUNCEMENT_TAGS_MAX,
  ANNOUNCEMENT_TARGETS_MAX,
  ANNOUNCEMENT_TITLE_MAX,
  REACTIONS,
} from '../announcements.ts';
import { LOCALES } from '../i18n/locales.ts';
import { isPictureId } from '../picture-url.ts';
import { id, line, lines } from './primitives.ts';
import { moment } from './redeem-code.ts';

/** An announcement in one language. */
const textInput = z.strictObject({
  locale: z.enum(LOCALES, 'INVALID'),
  title: line(1, ANNOUNCEMENT_TITLE_MAX),
  summary: line(0, ANNOUNCEMENT_SUMMARY_MAX),
  /** Markdown. */
  body: lines(1, ANNOUNCEMENT_BODY_MAX),
});

/** What staff write of an announcement. `publish_at` null: a draft; `end_at` null: it stays. */
export const announcementInput = z
  .strictObject({
    texts: z.array(textInput).check(z.minLength(1, 'REQUIRED'), z.maxLength(LOCALES.length)),
    tags: z.array(line(1, ANNOUNCEMENT_TAG_MAX)).check(z.maxLength(ANNOUNCEMENT_TAGS_MAX, 'TOO_LONG')),
    /** A picture above it; '' for none. */
    picture: z.string().check(z.refine((text) => text === '' || isPictureId(text), 'INVALID')),
    audience: z.enum(ANNOUNCEMENT_AUDIENCES, 'INVALID'),
    /** Roles or locations of its audience. */
    targets: z.array(id).check(z.maxLength(ANNOUNCEMENT_TARGETS_MAX)),
    pinned: z.boolean(),
    urgent: z.boolean(),
    /** Whether those it is for hear of it in the bell when it is published. */
    notifies: z.boolean(),
    /** Whether that goes out by mail and by push as well, to those who chose so. */
    mails: z._default(z.boolean(), true),
    pushes: z._default(z.boolean(), true),
    /** `now`: by the clock of the server. */
    publish_at: z.union([z.literal('now'), moment]),
    end_at: moment,
  })
  .check(
    z.refine(({ audience, targets }) => audience === 'everyone' || targets.length > 0, {
      path: ['targets'],
      error: 'REQUIRED',
    }),
    z.refine(({ texts }) => new Set(texts.map(({ locale }) => locale)).size === texts.length, {
      path: ['texts'],
      error: 'INVALID',
    }),
  );
export type AnnouncementInput = z.output<typeof announcementInput>;

/** A change: with the revision that was seen. */
export const announcementChange = z.strictObject({ announcement: announcementInput, revision: z.int() });

export const reactionInput = z.strictObject({ reaction: z.enum(REACTIONS, 'INVALID'), on: z.boolean() });

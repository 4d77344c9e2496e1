import type { Layout } from '../routes/row.ts';

/**
 * The files in which the texts of a language come to a browser, each immutable: `common` what every page needs and the
 * pages of guests, `player` the pages of who is signed in, `staff` all others. In the order in which they are needed.
 */
export const TEXT_FILES = ['common', 'player', 'staff'] as const;
export type TextFile = (typeof TEXT_FILES)[number];

/**
 * The files that the pages of a layout need. In `plain` are what everybody may read (images, announcements, receipts)
 * and what nobody reads for long (errors), whose texts stand with those of players.
 */
export const TEXT_FILES_OF_LAYOUT: Readonly<Record<Layout, readonly TextFile[]>> = {
  auth: ['common'],
  plain: ['common', 'player'],
  app: ['common', 'player'],
  admin: TEXT_FILES,
};

/** The address of a file of texts. In: the build, which makes it immutable. */
export const textFileUrl = (locale: string, file: TextFile, build: string): string =>
  `/assets/locales/${locale}/${file}.json?v=${build}`;

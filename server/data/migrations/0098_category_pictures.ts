import { define, type Migration } from './migration.ts';

/** Egg categories may have a picture beside their name where players choose their software; '': none. */
export const categoryPictures: Migration = {
  name: '0098_category_pictures',
  up: (step) => define(step, ["ALTER TABLE egg_categories ADD COLUMN picture TEXT NOT NULL DEFAULT ''"]),
};

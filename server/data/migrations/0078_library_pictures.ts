import { define, type Migration } from './migration.ts';

/**
 * `library_hash`: the content of the host's library that a picture was drawn of, so that its delete page can say where
 * it is shown; null: of a file. Eggs may have a picture in the place of their block; '': none.
 */
export const libraryPictures: Migration = {
  name: '0078_library_pictures',
  up: (step) =>
    define(step, [
      'ALTER TABLE pictures ADD COLUMN library_hash TEXT',
      'CREATE INDEX pictures_of_library ON pictures (library_hash) WHERE library_hash IS NOT NULL',
      'CREATE INDEX announcement_pictures_picture ON announcement_pictures (picture_id)',
      "ALTER TABLE eggs ADD COLUMN picture TEXT NOT NULL DEFAULT ''",
    ]),
};

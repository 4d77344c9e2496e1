import { define, type Migration } from './migration.ts';

/** Pictures of the host's own, for announcements and the like: stored as those of users are. */
export const libraryImages: Migration = {
  name: '0076_library_images',
  up: (step) =>
    define(step, [
      `CREATE TABLE library_images (
        id TEXT NOT NULL PRIMARY KEY,
        hash TEXT NOT NULL REFERENCES image_objects (hash),
        name TEXT NOT NULL,
        created_by TEXT NOT NULL,
        created_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX library_images_list ON library_images (created_ms, id)',
      'CREATE INDEX library_images_of_object ON library_images (hash)',
    ]),
};

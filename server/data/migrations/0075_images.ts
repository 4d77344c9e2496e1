import { IMAGE_TYPES } from '#shared/images.ts';
import { bit, define, oneOf, type Migration } from './migration.ts';

/**
 * Images of users (behaviour 5.5). The same picture is stored once, whoever uploads it: `image_objects` has what is
 * stored, by its content; `key` names its files and is never used again. An object that no image has goes some time
 * after it was used last (`used_ms`). `hidden_ms`: since when staff keep an image from everybody but its owner.
 */
export const images: Migration = {
  name: '0075_images',
  up: (step) =>
    define(step, [
      `CREATE TABLE image_objects (
        hash TEXT NOT NULL PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        ${oneOf('store', ['disk', 's3'])},
        ${oneOf('type', IMAGE_TYPES)},
        width INTEGER NOT NULL CHECK (width > 0),
        height INTEGER NOT NULL CHECK (height > 0),
        bytes INTEGER NOT NULL CHECK (bytes > 0),
        bytes_all INTEGER NOT NULL CHECK (bytes_all >= bytes),
        used_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX image_objects_used ON image_objects (used_ms, hash)',
      `CREATE TABLE images (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        upload_id TEXT NOT NULL,
        hash TEXT NOT NULL REFERENCES image_objects (hash),
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        bytes INTEGER NOT NULL CHECK (bytes > 0),
        price INTEGER NOT NULL CHECK (price >= 0),
        views INTEGER NOT NULL,
        hidden_ms INTEGER,
        created_ms INTEGER NOT NULL,
        UNIQUE (user_id, upload_id)
      )STRICT`,
      'CREATE INDEX images_of_user ON images (user_id, created_ms, id)',
      'CREATE INDEX images_of_object ON images (hash)',
      `CREATE TABLE image_usage (
        user_id TEXT NOT NULL PRIMARY KEY,
        images INTEGER NOT NULL CHECK (images >= 0),
        bytes INTEGER NOT NULL CHECK (bytes >= 0)
      )STRICT`,
      `CREATE TABLE image_traffic (
        user_id TEXT NOT NULL,
        day TEXT NOT NULL,
        bytes INTEGER NOT NULL CHECK (bytes >= 0),
        PRIMARY KEY (user_id, day)
      )STRICT`,
      'CREATE INDEX image_traffic_days ON image_traffic (day)',
      `CREATE TABLE image_keys (
        user_id TEXT NOT NULL PRIMARY KEY,
        key_hash TEXT NOT NULL UNIQUE,
        tail TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        used_ms INTEGER
      )STRICT`,
      `CREATE TABLE image_embeds (
        user_id TEXT NOT NULL PRIMARY KEY,
        ${bit('enabled')},
        title TEXT NOT NULL,
        description TEXT NOT NULL,
        author TEXT NOT NULL,
        color TEXT NOT NULL
      )STRICT`,
    ]),
};

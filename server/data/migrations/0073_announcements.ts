import { ANNOUNCEMENT_AUDIENCES, REACTIONS } from '#shared/announcements.ts';
import { bit, define, oneOf, type Migration } from './migration.ts';

/**
 * Announcements (behaviour 7.4). `announced_ms`: when users first heard of it; `seen`: how many have read it or put its
 * banner away. What somebody has read is a row of `announcement_reads` or lies before their `announcement_marks`, so
 * that to publish writes no row a user. `content` of a revision: JSON of everything that staff write.
 */
export const announcements: Migration = {
  name: '0073_announcements',
  up: (step) =>
    define(step, [
      `CREATE TABLE announcements (
        id TEXT NOT NULL PRIMARY KEY,
        picture TEXT NOT NULL,
        ${oneOf('audience', ANNOUNCEMENT_AUDIENCES)},
        ${bit('pinned')},
        ${bit('urgent')},
        ${bit('notifies')},
        publish_ms INTEGER,
        end_ms INTEGER,
        announced_ms INTEGER,
        revision INTEGER NOT NULL CHECK (revision > 0),
        seen INTEGER NOT NULL,
        author_id TEXT,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX announcements_board ON announcements (publish_ms, id)',
      'CREATE INDEX announcements_list ON announcements (created_ms, id)',
      'CREATE INDEX announcements_pinned ON announcements (publish_ms) WHERE pinned = 1',
      'CREATE INDEX announcements_due ON announcements (publish_ms) WHERE announced_ms IS NULL',
      `CREATE TABLE announcement_texts (
        announcement_id TEXT NOT NULL,
        locale TEXT NOT NULL,
        title TEXT NOT NULL,
        summary TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (announcement_id, locale)
      )KEYED`,
      `CREATE TABLE announcement_tags (
        announcement_id TEXT NOT NULL,
        tag TEXT NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (announcement_id, tag)
      )KEYED`,
      'CREATE INDEX announcement_tags_tag ON announcement_tags (tag)',
      `CREATE TABLE announcement_targets (
        announcement_id TEXT NOT NULL,
        target_id TEXT NOT NULL,
        PRIMARY KEY (announcement_id, target_id)
      )KEYED`,
      `CREATE TABLE announcement_pictures (
        announcement_id TEXT NOT NULL,
        picture_id TEXT NOT NULL,
        PRIMARY KEY (announcement_id, picture_id)
      )KEYED`,
      `CREATE TABLE announcement_revisions (
        announcement_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        content TEXT NOT NULL,
        author_id TEXT,
        created_ms INTEGER NOT NULL,
        PRIMARY KEY (announcement_id, revision)
      )KEYED`,
      `CREATE TABLE announcement_reads (
        user_id TEXT NOT NULL,
        announcement_id TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        PRIMARY KEY (user_id, announcement_id)
      )KEYED`,
      'CREATE INDEX announcement_reads_of ON announcement_reads (announcement_id)',
      'CREATE TABLE announcement_marks (user_id TEXT NOT NULL PRIMARY KEY, until_ms INTEGER NOT NULL)STRICT',
      `CREATE TABLE announcement_reactions (
        user_id TEXT NOT NULL,
        announcement_id TEXT NOT NULL,
        ${oneOf('reaction', REACTIONS)},
        created_ms INTEGER NOT NULL,
        PRIMARY KEY (user_id, announcement_id, reaction)
      )KEYED`,
      'CREATE INDEX announcement_reactions_of ON announcement_reactions (announcement_id)',
      `CREATE TABLE announcement_reaction_counts (
        announcement_id TEXT NOT NULL,
        reaction TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (announcement_id, reaction)
      )KEYED`,
    ]),
};

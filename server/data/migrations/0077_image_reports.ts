import { REPORT_REASONS, REPORT_STATES } from '#shared/image-reports.ts';
import { bit, define, oneOf, type Migration } from './migration.ts';

/**
 * Reports of images (behaviour 5.5): one of an image at a time, with what each person says of it beside. They outlive
 * the image. `reporter_key`: a keyed hash of who it was, so that nobody counts twice. `image_blocks`: contents that
 * staff deleted and that are refused since; `cleared`: no image has it any more.
 */
export const imageReports: Migration = {
  name: '0077_image_reports',
  up: (step) =>
    define(step, [
      `CREATE TABLE image_reports (
        id TEXT NOT NULL PRIMARY KEY,
        image_id TEXT NOT NULL,
        owner_id TEXT NOT NULL,
        hash TEXT NOT NULL,
        name TEXT NOT NULL,
        ${oneOf('state', REPORT_STATES)},
        ${oneOf('reason', REPORT_REASONS)},
        complaints INTEGER NOT NULL CHECK (complaints > 0),
        note TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        decided_ms INTEGER,
        decided_by TEXT
      )STRICT`,
      "CREATE UNIQUE INDEX image_reports_open ON image_reports (image_id) WHERE state = 'open'",
      'CREATE INDEX image_reports_by_state ON image_reports (state, created_ms, id)',
      'CREATE INDEX image_reports_by_time ON image_reports (created_ms, id)',
      'CREATE INDEX image_reports_of_content ON image_reports (hash, state)',
      'CREATE INDEX image_reports_of_owner ON image_reports (owner_id)',
      `CREATE TABLE image_complaints (
        id TEXT NOT NULL PRIMARY KEY,
        report_id TEXT NOT NULL REFERENCES image_reports (id) ON DELETE CASCADE,
        image_id TEXT NOT NULL,
        reporter_id TEXT,
        reporter_key TEXT NOT NULL,
        ${oneOf('reason', REPORT_REASONS)},
        details TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        UNIQUE (image_id, reporter_key)
      )STRICT`,
      'CREATE INDEX image_complaints_of_report ON image_complaints (report_id, created_ms, id)',
      'CREATE INDEX image_complaints_of_sender ON image_complaints (reporter_key, created_ms)',
      'CREATE INDEX image_complaints_of_user ON image_complaints (reporter_id)',
      `CREATE TABLE image_blocks (
        hash TEXT NOT NULL PRIMARY KEY,
        created_ms INTEGER NOT NULL,
        ${bit('cleared')}
      )STRICT`,
      'CREATE INDEX image_blocks_to_clear ON image_blocks (created_ms) WHERE cleared = 0',
    ]),
};

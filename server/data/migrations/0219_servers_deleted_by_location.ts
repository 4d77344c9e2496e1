import { define, type Migration } from './migration.ts';

/** How many servers of a location were deleted since a moment is known by the index alone. */
export const serversDeletedByLocation: Migration = {
  name: '0219_servers_deleted_by_location',
  up: (step) =>
    define(step, [
      'DROP INDEX servers_location',
      'CREATE INDEX servers_location ON servers (location_id, state, deleted_ms)',
    ]),
};

import { define, type Migration } from './migration.ts';

/** How many servers of a location were deleted since a moment is known without those that are there. */
export const deletedServersByLocation: Migration = {
  name: '0219_deleted_servers_by_location',
  up: (step) =>
    define(step, [
      'CREATE INDEX servers_deleted ON servers (location_id, state, deleted_ms) WHERE deleted_ms IS NOT NULL',
    ]),
};

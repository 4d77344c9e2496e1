import { define, type Migration } from './migration.ts';

/**
 * What a session is bound to where the host trusts nobody by their cookie alone (behaviour 3.11): the hash of the
 * browser's device token, and the network. Of sessions of before, the network follows from their address.
 */
export const sessionBinding: Migration = {
  name: '0052_session_binding',
  up: (step) =>
    define(step, [
      'ALTER TABLE sessions ADD COLUMN bound_device TEXT',
      'ALTER TABLE sessions ADD COLUMN bound_network TEXT',
    ]),
};

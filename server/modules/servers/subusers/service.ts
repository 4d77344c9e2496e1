import { withDeps } from '../core/index.ts';
import type { SubusersDeps } from './deps.ts';
import { addSubuser, endForBan, leaveServer, removeSubuser, setSubuserRights } from './subusers.ts';

/** Who works on servers of others. */
export type Subusers = ReturnType<typeof createSubusers>;

/** Who works on servers of others. */
export const createSubusers = (deps: SubusersDeps) =>
  withDeps(deps, {
    add: addSubuser,
    setRights: setSubuserRights,
    remove: removeSubuser,
    leave: leaveServer,
    endForBan,
  });

import type { ServerRow } from './ports.ts';

/** What every event of a server says of it: its id, its owner's, and its name. */
export const toServerFacts = ({ id, userId, name }: Pick<ServerRow, 'id' | 'userId' | 'name'>) => ({
  serverId: id,
  userId,
  name,
});

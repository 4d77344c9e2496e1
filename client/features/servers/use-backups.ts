import { useServerList } from './use-server-list.ts';

/** The backups of a server, and what the last thing that was done with them was refused with. */
export const useBackups = (id: string) =>
  useServerList({
    id,
    read: (api, server) => api.serverBackups.list({ params: { id: server } }),
    isMoving: ({ backups }) => backups.some(({ state }) => state === 'making' || state === 'restoring'),
  });

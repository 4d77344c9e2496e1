import { useServerList } from './use-server-list.ts';

/** The schedules of a server, and what the last thing that was done with them was refused with. */
export const useSchedules = (id: string) =>
  useServerList({
    id,
    read: (api, server) => api.serverSchedules.list({ params: { id: server } }),
    isMoving: ({ schedules }) => schedules.some(({ running }) => running),
  });

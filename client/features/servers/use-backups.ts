import { useEffect, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import type { ServerBackup } from '#shared/contract/server-backups.ts';
import { refusalOf } from './use-folder.ts';

interface Backups {
  readonly backups: readonly ServerBackup[];
  readonly limit: number;
}
/** How often the list is read while one of them is being made or restored, ms. */
const POLL_MS = 2000;

/** The backups of a server as they were read last, and what the last thing that was done with them was refused with. */
export function useBackups(id: string) {
  const api = useApi();
  const [list, setList] = useState<Backups | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const isMoving = list?.backups.some(({ state }) => state === 'making' || state === 'restoring') ?? false;
  // An effect, because the backups are outside React.
  useEffect(() => {
    if (!api) return;
    let isOver = false;
    const read = async (): Promise<void> => {
      try {
        const found = await api.serverBackups.list({ params: { id } });
        if (!isOver) setList(found);
      } catch (error) {
        if (!isOver) setRefused(refusalOf(error));
      }
    };
    void read();
    const timer = isMoving ? setInterval(() => void read(), POLL_MS) : undefined;
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [api, id, isMoving]);

  return {
    list,
    refused,
    /** Does something with them, and shows them as they are then. */
    async run(work: (calls: NonNullable<typeof api>['serverBackups']) => Promise<unknown>): Promise<void> {
      if (!api) return;
      setRefused(null);
      try {
        await work(api.serverBackups);
        setList(await api.serverBackups.list({ params: { id } }));
      } catch (error) {
        setRefused(refusalOf(error));
      }
    },
  };
}

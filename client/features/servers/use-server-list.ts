import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import { refusalOf } from './use-folder.ts';

type Api = NonNullable<ReturnType<typeof useApi>>;

/** How often a list is read while something of it is under way, ms. */
const POLL_MS = 2000;

/**
 * A list of a server's as it was read last, and what the last thing that was done with it was refused with. `isMoving`:
 * it changes by itself, and is read again and again.
 */
export function useServerList<T>(options: {
  readonly id: string;
  readonly read: (api: Api, id: string) => Promise<T>;
  readonly isMoving: (list: T) => boolean;
}) {
  const { id } = options;
  const api = useApi();
  const [list, setList] = useState<T | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const isMoving = list !== null && options.isMoving(list);
  const readList = useEffectEvent(options.read);
  // An effect, because what is listed is outside React.
  useEffect(() => {
    if (!api) return;
    let isOver = false;
    const read = async (): Promise<void> => {
      try {
        const found = await readList(api, id);
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
    /** Does something, and shows the list as it is then. Out: whether it was done. */
    async run(work: (api: Api) => Promise<unknown>): Promise<boolean> {
      if (!api) return false;
      setRefused(null);
      try {
        await work(api);
        setList(await options.read(api, id));
        return true;
      } catch (error) {
        setRefused(refusalOf(error));
        return false;
      }
    },
  };
}

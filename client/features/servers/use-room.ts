import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import type { Draft, Options } from './create-form.ts';

/** What is left of one place or one kind of software. */
interface Left {
  readonly id: string;
  readonly left: number;
  readonly available: boolean;
  readonly reason: string | null;
}
type Offer = Pick<Options, 'locations' | 'categories'>;
interface Room {
  readonly locations: readonly Left[];
  readonly eggs: readonly Left[];
  /** Location for which the software was looked at. */
  readonly at: string;
}

type Query = Readonly<Record<'memory' | 'disk' | 'ports', string> & Partial<Record<'location_id' | 'egg_id', string>>>;

/** The draft as the API asks for it; null while an amount is none. */
function queryOf(draft: { location: string; egg: string; memory: number; disk: number; ports: number }): Query | null {
  const { location, egg, memory, disk, ports } = draft;
  if (![memory, disk, ports].every((amount) => Number.isSafeInteger(amount) && amount > 0)) return null;
  const eggId = egg.split('.')[1] ?? '';
  return {
    ...(location ? { location_id: location } : {}),
    ...(eggId ? { egg_id: eggId } : {}),
    memory: String(memory),
    disk: String(disk),
    ports: String(ports),
  };
}

/** How often it is asked for while the page is looked at, and how long the draft has to rest before. */
const EVERY_MS = 20_000;
const REST_MS = 400;

/**
 * The options with what is left right now for this very draft: places by the chosen software and amounts, software by
 * the chosen place. Before the first answer, and without scripts, they are what the page was made with.
 */
export function useRoom(options: Offer, draft: Draft): Offer {
  const api = useApi();
  const [room, setRoom] = useState<Room | null>(null);
  const { location, egg, amounts } = draft;
  const { memory, disk, ports } = amounts;
  const look = useEffectEvent(async (query: Query): Promise<Room | null> =>
    api ? { ...(await api.servers.availability({ query })), at: query.location_id ?? '' } : null,
  );
  // An effect, because what is left changes without anything happening on this page.
  useEffect(() => {
    const query = queryOf({ location, egg, memory, disk, ports });
    if (!query) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    const turn = async (): Promise<void> => {
      if (document.visibilityState === 'visible') {
        // What cannot be had is told again when the form is sent; until then the last answer stands.
        const found = await look(query).catch(() => null);
        if (!over && found) setRoom(found);
      }
      if (!over) timer = setTimeout(() => void turn(), EVERY_MS);
    };
    timer = setTimeout(() => void turn(), REST_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [location, egg, memory, disk, ports]);
  return room ? merged(options, room, location) : options;
}

function merged({ locations, categories }: Offer, room: Room, location: string): Offer {
  const places = new Map(room.locations.map((each) => [each.id, each]));
  // A place that is full altogether does not make the choice of software pointless: one can wait for it.
  const isAsked = room.at === location && places.get(location)?.available === true;
  const software = new Map(isAsked ? room.eggs.map((each) => [each.id, each]) : []);
  return {
    locations: locations.map((each) => {
      const now = places.get(each.id);
      return now ? { ...each, slots_free: now.left, available: now.available, reason: now.reason } : each;
    }),
    categories: categories.map((category) => ({
      ...category,
      eggs: category.eggs.map((egg) => {
        const now = software.get(egg.id);
        return now ? { ...egg, available: now.available, reason: now.reason, left: now.left } : egg;
      }),
    })),
  };
}

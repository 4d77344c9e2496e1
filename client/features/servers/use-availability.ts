import { useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '#client/lib/use-api.ts';
import type { Draft, Options } from './create-form.ts';

/** The availability of a location or an egg. */
interface Remaining {
  readonly id: string;
  readonly left: number;
  readonly available: boolean;
  readonly reason: string | null;
}
type Offer = Pick<Options, 'locations' | 'categories'>;
interface Availability {
  readonly locations: readonly Remaining[];
  readonly eggs: readonly Remaining[];
  /** Location that the eggs' availability refers to. */
  readonly at: string;
}

type Query = Readonly<Record<'memory' | 'disk' | 'ports', string> & Partial<Record<'location_id' | 'egg_id', string>>>;

/** The API query of a draft; null while an amount is invalid. */
function toAvailabilityQuery(draft: {
  location: string;
  egg: string;
  memory: number;
  disk: number;
  ports: number;
}): Query | null {
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

/** How often it is polled while the page is visible, and the debounce of the draft. */
const POLL_MS = 20_000;
const DEBOUNCE_MS = 400;

/**
 * The options with the current availability for the draft: locations by software and amounts, software by location.
 * Before the first response, and without scripts, those that came with the page.
 */
export function useAvailability(options: Offer, draft: Draft): Offer {
  const api = useApi();
  const [availability, setAvailability] = useState<Availability | null>(null);
  const { location, egg, amounts } = draft;
  const { memory, disk, ports } = amounts;
  const fetchAvailability = useEffectEvent(async (query: Query): Promise<Availability | null> =>
    api ? { ...(await api.servers.availability({ query })), at: query.location_id ?? '' } : null,
  );
  // An effect, because availability changes without anything happening on this page.
  useEffect(() => {
    const query = toAvailabilityQuery({ location, egg, memory, disk, ports });
    if (!query) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    const poll = async (): Promise<void> => {
      if (document.visibilityState === 'visible') {
        // On failure the last response stays; submitting the form checks availability again.
        const found = await fetchAvailability(query).catch(() => null);
        if (!over && found) setAvailability(found);
      }
      if (!over) timer = setTimeout(() => void poll(), POLL_MS);
    };
    timer = setTimeout(() => void poll(), DEBOUNCE_MS);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [location, egg, memory, disk, ports]);
  return availability ? withAvailability(options, availability, location) : options;
}

function withAvailability({ locations, categories }: Offer, availability: Availability, location: string): Offer {
  const places = new Map(availability.locations.map((each) => [each.id, each]));
  // A location that is full does not make all software unavailable: one can wait for it.
  const isAsked = availability.at === location && places.get(location)?.available === true;
  const software = new Map(isAsked ? availability.eggs.map((each) => [each.id, each]) : []);
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

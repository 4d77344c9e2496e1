import { HOUR, MINUTE } from '#shared/time.ts';
import { FAULT_KINDS, type FakePanel, type Fault, type FaultKind } from '#tests/support/panels/index.ts';
import type { Random } from '#tests/support/random.ts';
import type { Site, World } from './world.ts';

/** How a panel is for a while: how long, and how likely a call goes wrong, in which ways. */
interface Weather {
  readonly name: string;
  readonly weight: number;
  readonly mostMs: number;
  readonly chance: number;
  readonly kinds: readonly FaultKind[];
  begin?(site: Site, random: Random): unknown;
  end?(site: Site): void;
}
const allUp = ({ fake, nodes }: Site) => {
  for (const node of nodes) fake.setDaemon(node, 'up');
};
/** Keys that are to be given back. */
const taken = new WeakMap<FakePanel, FakePanel['state']['keys']>();
const WEATHERS: readonly Weather[] = [
  { name: 'fair', weight: 4, mostMs: HOUR, chance: 0.01, kinds: FAULT_KINDS },
  { name: 'rough', weight: 5, mostMs: HOUR, chance: 0.2, kinds: FAULT_KINDS },
  {
    name: 'lost answers',
    weight: 3,
    mostMs: HOUR,
    chance: 0.3,
    kinds: ['lostAfter', 'lostBefore', 'late', 'hang', 'slowBody'],
  },
  { name: 'a storm of 429', weight: 2, mostMs: 20 * MINUTE, chance: 0.8, kinds: ['tooMany'] },
  {
    name: 'pages in place of answers',
    weight: 1,
    mostMs: 20 * MINUTE,
    chance: 0.7,
    kinds: ['html', 'redirect', 'garbage'],
  },
  { name: 'races', weight: 2, mostMs: HOUR, chance: 0.2, kinds: ['race', 'status'] },
  {
    name: 'a machine down',
    weight: 2,
    mostMs: HOUR,
    chance: 0.02,
    kinds: FAULT_KINDS,
    begin: ({ fake, nodes }, random) =>
      fake.setDaemon(
        random.pick(nodes),
        random.pick(['refused', 'cuts', { status: 500 }, { status: 404 }, { status: 409 }]),
      ),
    end: allUp,
  },
  {
    name: 'a key taken away',
    weight: 1,
    mostMs: 20 * MINUTE,
    chance: 0,
    kinds: [],
    begin: ({ fake }) => {
      taken.set(fake, new Map(fake.state.keys));
      fake.state.keys.clear();
    },
    end: ({ fake }) => {
      for (const [token, row] of taken.get(fake) ?? []) fake.state.keys.set(token, row);
    },
  },
  // Nobody listens for an hour, by the clock that the product sees.
  {
    name: 'down',
    weight: 1,
    mostMs: HOUR,
    chance: 0,
    kinds: [],
    begin: ({ fake }) => fake.stopListening(),
    end: ({ fake }) => fake.listenAgain(),
  },
];

/**
 * The weather at both panels. It changes when its time is over; what it broke goes on being broken until the product
 * has mended it.
 */
export function createWeather({ sites, random, clock, timer }: World) {
  const seen = new Map<string, number>();
  const now = sites.map((site) => ({ site, weather: null as Weather | null, untilMs: 0 }));
  function fault({ chance, kinds }: Weather): Fault | null {
    if (!random.chance(chance)) return null;
    const kind = random.pick(kinds);
    // The client waits as long as it does before it gives up; what hangs is done when it is let go.
    if (kind === 'hang' || kind === 'slowBody') setImmediate(() => timer.expire());
    return {
      kind,
      done: random.chance(0.3),
      ...(kind === 'tooMany' && random.chance(0.5) ? { retryAfterS: 1 + random.int(60) } : {}),
    };
  }
  function draw(): Weather {
    let ticket = random.int(WEATHERS.reduce((sum, { weight }) => sum + weight, 0));
    const drawn = WEATHERS.find(({ weight }) => (ticket -= weight) < 0);
    if (!drawn) throw new Error('no weather');
    return drawn;
  }
  function calm(each: (typeof now)[number]): void {
    each.weather?.end?.(each.site);
    each.site.fake.heal();
    each.weather = null;
  }
  return {
    /** Goes on to the weather of this moment, and lets some of what is late come through. */
    async turn(): Promise<void> {
      for (const each of now) {
        if (clock.now() >= each.untilMs) {
          calm(each);
          const weather = draw();
          each.weather = weather;
          each.untilMs = clock.now() + random.int(weather.mostMs) + MINUTE;
          seen.set(weather.name, (seen.get(weather.name) ?? 0) + 1);
          await weather.begin?.(each.site, random);
          each.site.fake.failBy(() => fault(weather));
        }
        if (random.chance(0.5)) await each.site.fake.release();
      }
    },
    /** Everything is well from here on, and what was late has come. */
    async clear(): Promise<void> {
      for (const each of now) {
        calm(each);
        await each.site.fake.release();
      }
    },
    seen: (): ReadonlyMap<string, number> => seen,
  };
}

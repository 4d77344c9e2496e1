import type { DataRouter } from 'react-router';
import type { LivePage, LiveSource, LiveTopic } from '#client/lib/live.ts';

type Phase = 'idle' | 'submitting' | 'loading';

/** The router's phase: idle, submitting a form, or loading. */
function phaseOf({ navigation, revalidation }: Pick<DataRouter['state'], 'navigation' | 'revalidation'>): Phase {
  return navigation.state === 'idle' ? revalidation : navigation.state;
}

/**
 * Keeps a page up to date with the server's change events. A change may arrive between the request of a load and its
 * response, or before that response is shown: so changes are counted, each load remembers the counts it began with, and
 * the page is loaded again as soon as the router is idle if there were newer changes. In: the router and the stream of
 * events.
 */
export function createLivePage(
  router: Pick<DataRouter, 'state' | 'subscribe' | 'revalidate'>,
  source: LiveSource,
): LivePage {
  const followers = new Set<readonly LiveTopic[]>();
  const changed = new Map<LiveTopic, number>();
  /** Counts at the start of the running load, and at the start of the load that is shown. */
  let reading: ReadonlyMap<LiveTopic, number> = new Map();
  let shown = reading;
  let phase = phaseOf(router.state);

  const isStale = () =>
    [...followers].some((topics) => topics.some((topic) => (changed.get(topic) ?? 0) > (shown.get(topic) ?? 0)));
  const readIfStale = () => {
    if (phase === 'idle' && isStale()) void router.revalidate();
  };

  router.subscribe((state) => {
    const before = phase;
    phase = phaseOf(state);
    if (phase === 'loading' && before !== 'loading') reading = new Map(changed);
    if (phase !== 'idle' || before === 'idle') return;
    shown = reading;
    readIfStale();
  });
  source.subscribe((topic) => {
    changed.set(topic, (changed.get(topic) ?? 0) + 1);
    readIfStale();
  });
  return {
    subscribe: (listener) => source.subscribe(listener),
    follow: (topics) => {
      // A copy for each page: two may follow the same topics.
      const own = [...topics];
      followers.add(own);
      // The stream opens with its first listener: this opens it for a session that began later.
      const stop = source.subscribe(() => undefined);
      readIfStale();
      return () => {
        followers.delete(own);
        stop();
      };
    },
  };
}

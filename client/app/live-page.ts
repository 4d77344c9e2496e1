import type { DataRouter } from 'react-router';
import type { LivePage, LiveSource, LiveTopic } from '#client/lib/live.ts';

type Phase = 'idle' | 'submitting' | 'loading';

/** What the router does with the page's data: nothing, sending a form first, or reading. */
function phaseOf({ navigation, revalidation }: Pick<DataRouter['state'], 'navigation' | 'revalidation'>): Phase {
  return navigation.state === 'idle' ? revalidation : navigation.state;
}

/**
 * Keeps what a page shows up to date with what the server says has changed. A change may fall between the question of a
 * reading and its answer, or between that answer and the page that shows it: so changes are counted, each reading
 * remembers the counts it began with, and what has been counted since is read once more as soon as the router is idle.
 * In: the router and the stream of events.
 */
export function createLivePage(
  router: Pick<DataRouter, 'state' | 'subscribe' | 'revalidate'>,
  source: LiveSource,
): LivePage {
  const followers = new Set<readonly LiveTopic[]>();
  const changed = new Map<LiveTopic, number>();
  /** Counts when the reading that runs began, and when the one began whose answer is shown. */
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
      // A set of its own for each page: two may follow the same.
      const own = [...topics];
      followers.add(own);
      // The stream opens with a listener: the first page of a session that began meanwhile opens it.
      const stop = source.subscribe(() => undefined);
      readIfStale();
      return () => {
        followers.delete(own);
        stop();
      };
    },
  };
}

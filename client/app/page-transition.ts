import { createPath, type DataRouter, type RouterState, type RouterSubscriber } from 'react-router';
import { prefersReducedMotion } from '#client/lib/motion.ts';

type Options = Parameters<RouterSubscriber>[1];

/** The identity of a page for transitions: its full path without the hash. */
const pageKey = ({ location }: RouterState) => createPath({ ...location, hash: '' });

/**
 * Animates every change of page (specification, section 2), whatever caused it: a link, a redirect, the browser's back
 * button. The router's updates pass through here on their way to React. With View Transitions the browser draws the old
 * and the new page; without them the new page alone comes in, by the same keyframes (styles/motion.css). The styles
 * define which transition and how fast; nothing moves with reduced motion.
 */
export function withPageTransitions(router: DataRouter): DataRouter {
  const animated = (notify: RouterSubscriber): (() => void) => {
    let shown = pageKey(router.state);
    /** An update that waits until the browser has captured the old page. */
    let waiting: { state: RouterState; options: Options } | null = null;
    const deliver = () => {
      if (!waiting) return;
      const { state, options } = waiting;
      waiting = null;
      notify(state, { ...options, flushSync: true });
    };
    return router.subscribe((state, options) => {
      if (waiting) {
        waiting = {
          state,
          options: {
            ...options,
            deletedFetchers: [...waiting.options.deletedFetchers, ...options.deletedFetchers],
            newErrors: options.newErrors ?? waiting.options.newErrors,
          },
        };
        return;
      }
      const next = pageKey(state);
      const same = next === shown;
      shown = next;
      if (same || prefersReducedMotion()) notify(state, options);
      else if (typeof document.startViewTransition === 'function') {
        waiting = { state, options };
        const { ready, finished } = document.startViewTransition(deliver);
        // Rejected when the tab is hidden or the next page came at once: the page has changed all the same.
        ready.catch(() => undefined);
        finished.catch(() => undefined);
      } else {
        notify(state, { ...options, flushSync: true });
        playEntryAnimation();
      }
    });
  };
  // The router itself is unchanged: other subscribers are notified at once.
  return Object.assign(Object.create(router) as DataRouter, { subscribe: animated });
}

/** Plays the entry animation of the current page. */
function playEntryAnimation(): void {
  const root = document.documentElement;
  root.removeAttribute('data-entering');
  // Reading a layout property forces a reflow, so that the animation restarts.
  root.getBoundingClientRect();
  root.setAttribute('data-entering', '');
  document
    .getElementById('main')
    ?.addEventListener('animationend', () => root.removeAttribute('data-entering'), { once: true });
}

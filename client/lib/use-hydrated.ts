import { useSyncExternalStore } from 'react';
import { createStore } from './store.ts';

const no = (): boolean => false;
/** False only while a page is being hydrated. */
const scriptsReady = createStore(true);
/** How often it is looked whether somebody still presses something. */
const PRESS_CHECK_MS = 20;
/** A press that lasts longer is not waited for: it may have ended outside the window, unnoticed. */
const PRESS_MAX_MS = 10_000;

/** False on the server and until the page is hydrated, true afterwards: for what needs scripts. */
export function useHydrated(): boolean {
  return useSyncExternalStore(scriptsReady.subscribe, scriptsReady.get, no);
}

/**
 * Properties of an element that is of use with scripts only: it has its place from the beginning, so that nothing moves
 * when it shows, once the page is hydrated. Without scripts it has none (base.css).
 */
export function useScripted(): { readonly 'data-scripted': ''; readonly inert: boolean } {
  return { 'data-scripted': '', inert: !useHydrated() };
}

/**
 * Keeps back what needs scripts until the page is hydrated, and then until nothing is pressed: React hydrates at once
 * what somebody presses, and if the page then made room for more, they would let go of something else, and nothing
 * would be clicked. Out: call it when the page is hydrated.
 */
export function holdScripted(): () => void {
  scriptsReady.set(false);
  return () => {
    const latest = performance.now() + PRESS_MAX_MS;
    const show = (): void => {
      if (document.querySelector(':active') !== null && performance.now() < latest) setTimeout(show, PRESS_CHECK_MS);
      else scriptsReady.set(true);
    };
    show();
  };
}

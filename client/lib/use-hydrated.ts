import { useSyncExternalStore } from 'react';

const nothing = (): (() => void) => () => {};
const yes = (): boolean => true;
const no = (): boolean => false;

/** False on the server and in the browser's first render, true afterwards: for what needs scripts. */
export function useHydrated(): boolean {
  return useSyncExternalStore(nothing, yes, no);
}

import { useSyncExternalStore } from 'react';

const nothing = (): (() => void) => () => {};
const yes = (): boolean => true;
const no = (): boolean => false;

/** False on the server and in the first render of the browser, true ever after: for what only scripts can keep true. */
export function useHydrated(): boolean {
  return useSyncExternalStore(nothing, yes, no);
}

import { useMemo } from 'react';
import { useLocation } from 'react-router';
import { listSearch, readList } from './url-state.ts';
import type { ListPatch, ListSpec, ListState } from './url-state.ts';

/** The list state of the current address, and the address of the same list with a change. */
export function useListState(spec: ListSpec): { state: ListState; hrefOf: (patch: ListPatch) => string } {
  const { pathname, search } = useLocation();
  return useMemo(() => {
    const state = readList(search, spec);
    return { state, hrefOf: (patch: ListPatch) => pathname + listSearch(state, spec, patch) };
  }, [pathname, search, spec]);
}

import { useMemo } from 'react';
import { useLocation } from 'react-router';
import { listSearch, readList } from './url-state.ts';
import type { ListPatch, ListSpec, ListState } from './url-state.ts';

/** A list as its address has it. */
export interface ListOfAddress {
  readonly state: ListState;
  /** How many rows a page may have. */
  readonly sizes: readonly number[];
  /** The address of the same list with a change. */
  readonly hrefOf: (patch: ListPatch) => string;
}

/** The list state of the current address, and the address of the same list with a change. */
export function useListState(spec: ListSpec): ListOfAddress {
  const { pathname, search } = useLocation();
  return useMemo(() => {
    const state = readList(search, spec);
    return { state, sizes: spec.sizes, hrefOf: (patch: ListPatch) => pathname + listSearch(state, spec, patch) };
  }, [pathname, search, spec]);
}

import { createContext, useContext } from 'react';
import type { Api } from '#shared/contract/index.ts';

const Context = createContext<Api | null>(null);
/** Gives components the browser's API client. The server renders without it. */
export const ApiProvider = Context.Provider;

/** The API client for effects and event handlers; loaders and actions use `apiOf`. Null on the server. */
export function useApi(): Api | null {
  return useContext(Context);
}

import { createContext, useContext } from 'react';
import type { Api } from '#shared/contract/index.ts';

const Context = createContext<Api | null>(null);
/** Gives components the browser's API client. The server renders without it. */
export const ApiProvider = Context.Provider;

/**
 * The API client for what is neither loading nor submitting: event streams and their answers. Null on the server, so it
 * is for effects and event handlers; everything else goes through loaders and actions (`apiOf`).
 */
export function useApi(): Api | null {
  return useContext(Context);
}

import { createContext, type RouterContextProvider } from 'react-router';
import type { Api } from '#shared/contract/index.ts';

/** The typed API client in the router's context: in memory on the server, over fetch in the browser. */
export const apiContext = createContext<Api>();

type Args = { context: Readonly<RouterContextProvider> };

/** The API client of a loader or an action. */
export function apiOf(args: Args): Api {
  return args.context.get(apiContext);
}

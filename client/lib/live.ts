import { createContext, useContext, useEffect } from 'react';

/** What the server may say has changed. */
export type LiveTopic = 'balance' | 'servers' | 'notifications' | 'session';

export interface LiveSource {
  /** Listens; gives back the function that stops it. */
  subscribe(listener: (topic: LiveTopic) => void): () => void;
}

/** The live source of a page, which also keeps what the page shows up to date. */
export interface LivePage extends LiveSource {
  /**
   * While followed, the page's loader runs again after each change of these topics, also of one that fell into a
   * running reading. Gives back the function that ends it.
   */
  follow(topics: readonly LiveTopic[]): () => void;
}
export const LiveContext = createContext<LivePage | null>(null);

/** Asks the page's loader again whenever the server says that one of these topics changed. */
export function useLive(topics: readonly LiveTopic[]): void {
  const page = useContext(LiveContext);
  const names = topics.join(' ');
  // An effect, because the stream of events lives outside React.
  useEffect(() => page?.follow(names.split(' ') as LiveTopic[]), [page, names]);
}

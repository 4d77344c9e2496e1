import { createContext, useContext, useEffect } from 'react';

/** What the server can report as changed. */
export type LiveTopic =
  | 'balance'
  | 'servers'
  | 'notifications'
  | 'session'
  | 'attention'
  | 'tickets'
  | 'images'
  | 'typing'
  | 'webhooks'
  | 'plugins';

export interface LiveSource {
  /** Adds a listener. Out: a function that removes it. */
  subscribe(listener: (topic: LiveTopic) => void): () => void;
}

/** The live source of a page, which also keeps what the page shows up to date. */
export interface LivePage extends LiveSource {
  /**
   * Reruns the page's loader after each change of these topics, also one that arrives during a running load. Out: a
   * function that stops following.
   */
  follow(topics: readonly LiveTopic[]): () => void;
}
export const LiveContext = createContext<LivePage | null>(null);

/** Reruns the page's loader whenever the server reports a change of one of these topics. */
export function useLive(topics: readonly LiveTopic[]): void {
  const page = useContext(LiveContext);
  const names = topics.join(' ');
  // An effect, because the stream of events lives outside React.
  useEffect(() => page?.follow(names.split(' ') as LiveTopic[]), [page, names]);
}

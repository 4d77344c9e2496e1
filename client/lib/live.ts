import { createContext, useContext, useEffect, useEffectEvent } from 'react';
import { useRevalidator } from 'react-router';

/** What the server may say has changed. */
export type LiveTopic = 'balance' | 'servers' | 'notifications' | 'session';

export interface LiveSource {
  /** Listens; gives back the function that stops it. */
  subscribe(listener: (topic: LiveTopic) => void): () => void;
}
export const LiveContext = createContext<LiveSource | null>(null);

/** Asks the page's loader again whenever the server says that one of these topics changed. */
export function useLive(topics: readonly LiveTopic[]): void {
  const source = useContext(LiveContext);
  const revalidator = useRevalidator();
  const onTopic = useEffectEvent((topic: LiveTopic) => {
    if (topics.includes(topic) && revalidator.state === 'idle') void revalidator.revalidate();
  });
  // An effect, because the stream of events lives outside React.
  useEffect(() => source?.subscribe((topic) => onTopic(topic)), [source]);
}

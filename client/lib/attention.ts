import { createContext } from 'react';
import type { Api } from '#shared/contract/index.ts';

/** What needs a person, as the API says it. */
export type AttentionView = Awaited<ReturnType<Api['adminAttention']['list']>>;
export type AttentionItem = AttentionView['items'][number];

/** What needs a person, kept up to date while the pages of staff are open; null: it is not known (yet). */
export const AttentionContext = createContext<AttentionView | null>(null);

import { createContext } from 'react';
import type { Namespace } from '#shared/i18n/namespaces.ts';

/** Loads texts that did not come with the page, for parts that are loaded when they are opened. */
export type TextLoader = (namespaces: readonly Namespace[]) => Promise<void>;
export const TextLoaderContext = createContext<TextLoader>(async () => undefined);

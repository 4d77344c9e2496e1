import { createContext } from 'react';

/** Id of the user whose page this is; null for guests. Forms send it along, so that they run as nobody else. */
export const ActingAsContext = createContext<string | null>(null);

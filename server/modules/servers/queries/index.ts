export type { Draft } from './availability.ts';
export { variablesOf } from './options.ts';
export { createQueries, type Queries } from './service.ts';
export { waitingCause, type OwnServer } from './views.ts';

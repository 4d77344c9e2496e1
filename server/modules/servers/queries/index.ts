export { availabilityOf, type Draft } from './availability.ts';
export { optionsOf, variablesOf } from './options.ts';
export { beginningView, queueStatus, renewalQuote as renewalOf, viewsOf, waitingCause as waitingOf } from './views.ts';

export { availabilityOf, type Draft } from './availability.ts';
export { optionsOf, variablesOf } from './options.ts';
export { beginningView, queueStatus, renewalQuote, viewsOf, waitingCause } from './views.ts';

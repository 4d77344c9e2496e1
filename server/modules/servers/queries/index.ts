export { availabilityOf, type Draft } from './availability.ts';
export { optionsOf, variablesOf } from './options.ts';
export { beginningView, queueFacts, renewalOf, viewsOf, waitingOf } from './views.ts';

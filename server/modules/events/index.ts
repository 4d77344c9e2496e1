export { EVENTS, type EventName, type PayloadOf } from './catalogue.ts';
export { createEvents, subscriber, type Events, type Subscription } from './service.ts';

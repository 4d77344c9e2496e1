export { EVENTS, type EventName, type PayloadOf } from './catalogue.ts';
export {
  currentEventName,
  formerEventName,
  objectOf,
  OUTSIDE_NAMES,
  outsideEvents,
  outsidePayload,
} from './outside.ts';
export { createEvents, subscriber, type Events, type Subscription } from './service.ts';

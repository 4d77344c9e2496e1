import { ANNOUNCEMENT_EVENTS } from './announcements.ts';
import { CAPACITY_EVENTS } from './capacity.ts';
import { CREDIT_EVENTS } from './credits.ts';
import type { EventDeclaration } from './declare.ts';
import { EARNING_EVENTS } from './earning.ts';
import { IMAGE_EVENTS } from './images.ts';
import { INSTALLATION_EVENTS } from './installation.ts';
import { PAYMENT_EVENTS } from './payments.ts';
import { PLUGIN_EVENTS } from './plugins.ts';
import { SERVER_EVENTS } from './servers.ts';
import { SIGN_IN_EVENTS } from './sign-in.ts';
import { TICKET_EVENTS } from './tickets.ts';
import { USER_EVENTS } from './users.ts';

const ALL = {
  ...USER_EVENTS,
  ...SIGN_IN_EVENTS,
  ...CREDIT_EVENTS,
  ...EARNING_EVENTS,
  ...PAYMENT_EVENTS,
  ...SERVER_EVENTS,
  ...CAPACITY_EVENTS,
  ...INSTALLATION_EVENTS,
  ...TICKET_EVENTS,
  ...IMAGE_EVENTS,
  ...ANNOUNCEMENT_EVENTS,
  ...PLUGIN_EVENTS,
};

type PayloadIn<D> = D extends EventDeclaration<infer P> ? P : never;

/** Name of an event: what it is about, and what became of it. */
export type EventName = keyof typeof ALL;
/** What an event says. */
export type PayloadOf<N extends EventName> = PayloadIn<(typeof ALL)[N]>;

/** Every event of the product, each declared once. */
export const EVENTS: { readonly [N in EventName]: EventDeclaration<PayloadOf<N>> } = ALL;

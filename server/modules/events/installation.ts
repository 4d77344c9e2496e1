import * as z from 'zod/mini';
import { declareEvent } from './declare.ts';

/** What happens to servers, to presence, and to the installation itself. */
export const INSTALLATION_EVENTS = {
  /** A server is its owner's to use. */
  'server.ready': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), serverId: z.string() }),
    outside: ['userId', 'serverId'],
  }),
  /** A session of presence was paid for another ten minutes; `minutes`: those of the session. */
  'afk.minutes_paid': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), minutes: z.number() }),
    outside: ['userId', 'minutes'],
  }),
  /** The product runs again after no process of it did, from one moment to the other (UTC ms). */
  'installation.resumed': declareEvent({
    version: 1,
    payload: z.object({ fromMs: z.number(), untilMs: z.number() }),
    outside: ['fromMs', 'untilMs'],
  }),
};

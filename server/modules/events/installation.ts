import * as z from 'zod/mini';
import { declareEvent, type StaffGroup } from './declare.ts';

/** Those who look after the installation: who may see its health. */
const HEALTH_STAFF: StaffGroup = { permissions: ['admin.root', 'admin.health.view'], limit: 100 };

/** What happens to presence, and to the installation itself. */
export const INSTALLATION_EVENTS = {
  /** A session of presence was paid for another ten minutes; `minutes`: those of the session. */
  'afk.minutes_paid': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), minutes: z.number() }),
    outside: ['userId', 'minutes'],
  }),
  /** A proof of the ledger found what none had found before: `count` faults in all, at `atMs` (UTC). */
  'ledger.faults_found': declareEvent({
    version: 1,
    payload: z.object({ count: z.number(), atMs: z.number() }),
    outside: ['count'],
    notifications: [
      {
        kind: 'ledgerFault',
        to: HEALTH_STAFF,
        data: ({ count }) => ({ count }),
        key: ({ atMs }) => `ledgerFault:${atMs}`,
      },
    ],
  }),
  /** A proof of the ledger found no fault where one before it had, at `atMs` (UTC). */
  'ledger.faults_mended': declareEvent({
    version: 1,
    payload: z.object({ atMs: z.number() }),
    outside: [],
    notifications: [{ kind: 'ledgerMended', to: HEALTH_STAFF, key: ({ atMs }) => `ledgerMended:${atMs}` }],
  }),
  /** The product runs again after no process of it did, from one moment to the other (UTC ms). */
  'installation.resumed': declareEvent({
    version: 1,
    payload: z.object({ fromMs: z.number(), untilMs: z.number() }),
    outside: ['fromMs', 'untilMs'],
  }),
};

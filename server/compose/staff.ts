import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createStaffRoles } from '../modules/access/index.ts';
import type { Backups } from '../modules/backups/index.ts';
import { ATTENTION_TOPIC, createAttention } from '../modules/attention/index.ts';
import { createEconomy } from '../modules/economy/index.ts';
import { subscriber, type EventName, type Subscription } from '../modules/events/index.ts';
import type { Identities } from '../modules/identities/index.ts';
import type { Identity } from '../modules/identity/index.ts';
import { createOverview } from '../modules/overview/index.ts';
import { createSearch } from '../modules/search/index.ts';
import { createUpdates } from '../modules/updates/index.ts';
import { createFeedSource } from '../update-feed.ts';
import { VERSION } from '../version.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';
import { composePeople, findPlaceTraceWith } from './people.ts';
import { composeStaffSettings } from './settings.ts';

/** Events after which something may need a person, or no longer does. */
const EVENTS = [
  'reward.held',
  'reward.released',
  'reward.rejected',
  'server.failed',
  'server.ready',
  'server.deleted',
  'outage.reported',
  'outage.ended',
  'order.credited',
  'order.disputed',
  'order.mismatched',
  'order.sync_failed',
  'payment.unknown',
  'payment.event_failed',
  'refund.failed',
  'ledger.faults_found',
  'ledger.faults_mended',
  'ticket.created',
  'ticket.replied',
  'ticket.answered',
  'ticket.changed',
  'ticket.closed',
  'ticket.reopened',
  'image.reported',
  'image.report_decided',
] as const satisfies readonly EventName[];

/**
 * What staff have beside their areas: the overview, the search, what needs a person (with the events that change it,
 * and the task that notifies staff of it), the economy, users, roles and settings.
 */
export function composeStaff(
  foundation: Foundation & { readonly backups: Pick<Backups, 'countDropped'> },
  identity: Pick<Identity, 'confirmAddressOf' | 'confirmAddressIn'>,
  identities: Pick<Identities, 'listLogins'>,
) {
  const people = composePeople(foundation, identity, identities);
  const attention = createAttention({ ...foundation, appVersion: VERSION });
  const updates = createUpdates({ ...foundation, version: VERSION, source: createFeedSource(foundation.outbound) });
  const subscriptions: Subscription[] = EVENTS.map((name) => subscriber(name, async (tx) => tx.touch(ATTENTION_TOPIC)));
  const tasks: ScheduledTask[] = [
    { name: 'attention.report', everyMs: MINUTE, run: () => attention.report() },
    { name: 'updates.check', everyMs: HOUR, run: updates.runDaily },
    ...people.tasks,
  ];
  return {
    services: {
      attention,
      updates,
      overview: createOverview(foundation),
      search: createSearch({ ...foundation, findPlaceTrace: findPlaceTraceWith(foundation) }),
      economy: createEconomy(foundation),
      staffRoles: createStaffRoles(foundation),
      ...composeStaffSettings(foundation),
      ...people.services,
    },
    subscriptions,
    tasks,
    jobs: people.jobs,
  };
}

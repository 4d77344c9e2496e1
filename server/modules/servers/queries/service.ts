import { withDeps } from '../core/index.ts';
import { availabilityOf } from './availability.ts';
import { optionsOf } from './options.ts';
import { queueStatus, renewalQuote, viewsOf } from './views.ts';
import type { QueriesDeps } from './deps.ts';

/** What pages ask about servers. */
export type Queries = ReturnType<typeof createQueries>;

/** What pages ask about servers. */
export const createQueries = (deps: QueriesDeps) =>
  withDeps(deps, {
    views: viewsOf,
    queueStatus,
    renewalQuote,
    options: optionsOf,
    availability: availabilityOf,
  });

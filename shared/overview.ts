import type { Permission } from './permissions.ts';

interface PartFacts {
  /** What one needs to see it: all of them. */
  readonly permissions: readonly Permission[];
  /** Where it stands: over the whole width, or in one of two columns. */
  readonly place: 'wide' | 'main' | 'side';
}

/**
 * The parts of the overview below what needs a person, in the order in which they stand until somebody chooses another
 * (product, section 6). Their names are `admin:part.<part>`.
 */
const OVERVIEW_PARTS = {
  glance: { permissions: ['admin.dashboard.components.ataglanceanalytics.view'], place: 'wide' },
  economy: { permissions: ['admin.economy.view'], place: 'main' },
  activity: { permissions: ['admin.dashboard.components.activity.view'], place: 'main' },
  queue: { permissions: ['admin.server.queue.list'], place: 'side' },
  system: { permissions: ['admin.dashboard.components.system.overview', 'admin.health.view'], place: 'side' },
  support: {
    permissions: ['admin.dashboard.components.support.view'],
    place: 'side',
  },
  updates: { permissions: ['admin.dashboard.components.system.updates'], place: 'side' },
  quick: { permissions: ['admin.dashboard.components.quickactions.view'], place: 'side' },
  logs: { permissions: ['admin.dashboard.components.system.logs'], place: 'main' },
  repository: { permissions: ['admin.dashboard.components.githubrepo.view'], place: 'side' },
} as const satisfies Record<string, PartFacts>;

export type OverviewPart = keyof typeof OVERVIEW_PARTS;

/** Every part, in its first order. */
export const PART_NAMES = Object.keys(OVERVIEW_PARTS) as OverviewPart[];

/** The facts of a part, as their common type. */
export const partFacts = (part: OverviewPart): PartFacts => OVERVIEW_PARTS[part];

/** Days that the key figures may be about, today included, as they stand in the address. */
export const OVERVIEW_DAYS = ['1', '7', '30'] as const;

import * as z from 'zod/mini';
import { LEDGER_PROOFS } from '../ledger.ts';
import { areaGroup, type AreaGroup } from '../resources/area-group.ts';
import { OVERVIEW_DAYS, PART_NAMES } from '../overview.ts';
import { RESOURCES, type AreaName } from '../resources/index.ts';
import { crudContract, type CrudContract } from './crud.ts';
import { group } from './endpoint.ts';
import { guideSteps } from './setup-guide.ts';

type AreaGroups = { readonly [A in AreaName as AreaGroup<A>]: CrudContract<(typeof RESOURCES)[A]> };

/** The endpoints of every admin area, from its definition. */
export const ADMIN_AREAS = Object.fromEntries(
  Object.values(RESOURCES).map((definition) => [areaGroup(definition.area), crudContract(definition)]),
) as unknown as AreaGroups;

const periodFigures = z.object({ users: z.int(), minted: z.int(), burnt: z.int() });

/** Numbers of the admin dashboard's overview. */
export const adminOverview = group({
  get: {
    method: 'GET',
    path: '/api/admin/overview',
    summary: 'Get the numbers of the overview',
    access: 'admin.dashboard.view',
    /** `days`: those that `period` is about, today included; 1 if absent. */
    query: z.object({ days: z.optional(z.enum(OVERVIEW_DAYS)) }),
    errors: ['VALIDATION_FAILED'],
    response: z.object({
      /**
       * Null without the permission admin.dashboard.components.ataglanceanalytics.view. `users_today`: accounts created
       * today.
       */
      users: z.nullable(z.int()),
      users_today: z.nullable(z.int()),
      servers: z.nullable(z.int()),
      servers_suspended: z.nullable(z.int()),
      queue: z.nullable(z.int()),
      circulation: z.nullable(z.int()),
      minted_today: z.nullable(z.int()),
      burnt_today: z.nullable(z.int()),
      /** Of the days asked for, and of as many days before them: accounts created, credits minted and burnt. */
      period: z.nullable(z.object({ days: z.int(), now: periodFigures, before: periodFigures })),
      /**
       * The last 14 days, or those asked for where these are more, today last: users, servers and circulation at the
       * end of each, credits minted and burnt on it.
       */
      trends: z.nullable(
        z.object({
          users: z.array(z.int()),
          servers: z.array(z.int()),
          circulation: z.array(z.int()),
          minted: z.array(z.int()),
          burnt: z.array(z.int()),
        }),
      ),
      /** The parts that the caller chose, in their order; null: they chose none, and see all in the first order. */
      layout: z.nullable(z.array(z.enum(PART_NAMES))),
      /**
       * What the last proof of the ledger found, oldest first, ten at most; null without admin.health.view. `account`:
       * a user's name, or a system account. Credits.
       */
      ledger: z.nullable(
        z.object({
          total: z.int(),
          faults: z.array(
            z.object({
              proof: z.enum(LEDGER_PROOFS),
              account: z.nullable(z.string()),
              row: z.nullable(z.string()),
              stored: z.nullable(z.int()),
              expected: z.nullable(z.int()),
              since: z.string(),
            }),
          ),
        }),
      ),
      /** What is still missing before players can create servers (`admin:setup.<code>`). */
      setup: z.array(z.object({ code: z.string(), done: z.boolean(), route: z.string() })),
      /** The set-up guide; null where the caller is no owner. */
      guide: z.nullable(guideSteps),
    }),
  },
  setLayout: {
    method: 'PUT',
    path: '/api/admin/overview/layout',
    summary: 'Change your overview',
    description: 'The parts and their order, for the caller alone; null: as at first.',
    access: 'admin.dashboard.view',
    body: z.strictObject({ parts: z.nullable(z.array(z.enum(PART_NAMES)).check(z.maxLength(PART_NAMES.length))) }),
    errors: [],
  },
  activity: {
    method: 'GET',
    path: '/api/admin/overview/activity',
    summary: 'List what staff did',
    description: 'The last 30 days, newest first. It has a permission of its own.',
    access: 'admin.dashboard.components.activity.view',
    errors: [],
    response: z.object({
      entries: z.array(
        z.object({
          id: z.string(),
          at: z.string(),
          actor: z.nullable(z.string()),
          action: z.string(),
          target: z.nullable(z.string()),
        }),
      ),
    }),
  },
});

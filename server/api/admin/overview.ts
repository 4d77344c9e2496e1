import type { Handlers } from '#server/http/implement.types.ts';
import type { Overview } from '#server/modules/overview/index.ts';
import type { SetupGuide } from '#server/modules/setup-guide/index.ts';
import type { adminOverview } from '#shared/contract/admin.ts';
import { can } from '#shared/permissions.ts';
import { iso } from '#shared/time.ts';
import { toGuideSteps } from './setup-guide.ts';

interface Services {
  readonly overview: Overview;
  readonly setupGuide: SetupGuide;
}

type Figures = Awaited<ReturnType<Overview['get']>>;

function presentFigures({ usersToday, serversSuspended, mintedToday, burntToday, ledger, ...figures }: Figures) {
  return {
    ...figures,
    users_today: usersToday,
    servers_suspended: serversSuspended,
    minted_today: mintedToday,
    burnt_today: burntToday,
    ledger: ledger && {
      total: ledger.total,
      faults: ledger.faults.map(({ sinceMs, ...fault }) => ({ ...fault, since: iso(sinceMs) })),
    },
  };
}

/** The admin dashboard's endpoints. */
export function overviewHandlers({ overview, setupGuide }: Services): Handlers<typeof adminOverview> {
  return {
    async get(ctx, { query }) {
      const guide = can(ctx.actor.permissions, 'admin.root') ? await setupGuide.get(ctx, '') : null;
      const figures = await overview.get(ctx, Number(query.days ?? 1));
      return { ...presentFigures(figures), guide: guide && toGuideSteps(guide) };
    },
    setLayout: async (ctx, { body }) => {
      await overview.setLayout(ctx, body.parts);
      return {};
    },
    activity: async (ctx) => ({
      entries: (await overview.activity(ctx)).map(({ atMs, ...entry }) => ({ ...entry, at: iso(atMs) })),
    }),
  };
}

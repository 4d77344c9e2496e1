import type { Handlers } from '#server/http/implement.types.ts';
import type { Overview } from '#server/modules/overview/index.ts';
import type { SetupGuide } from '#server/modules/setup-guide/index.ts';
import type { adminOverview } from '#shared/contract/admin.ts';
import { can } from '#shared/permissions.ts';
import { toGuideSteps } from './setup-guide.ts';

interface Services {
  readonly overview: Overview;
  readonly setupGuide: SetupGuide;
}

/** The admin dashboard's endpoints. */
export function overviewHandlers({ overview, setupGuide }: Services): Handlers<typeof adminOverview> {
  return {
    async get(ctx, { query }) {
      const guide = can(ctx.actor.permissions, 'admin.root') ? await setupGuide.get(ctx, '') : null;
      return { ...(await overview.get(ctx, Number(query.days ?? 1))), guide: guide && toGuideSteps(guide) };
    },
    setLayout: async (ctx, { body }) => {
      await overview.setLayout(ctx, body.parts);
      return {};
    },
    activity: (ctx) => overview.activity(ctx),
  };
}

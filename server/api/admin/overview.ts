import type { Handlers } from '#server/http/implement.types.ts';
import type { Overview } from '#server/modules/overview/index.ts';
import type { adminOverview } from '#shared/contract/admin.ts';

/** The admin dashboard's endpoints. */
export function overviewHandlers(services: { readonly overview: Overview }): Handlers<typeof adminOverview> {
  return { get: (ctx) => services.overview.get(ctx), activity: (ctx) => services.overview.activity(ctx) };
}

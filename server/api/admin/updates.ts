import type { Handlers } from '#server/http/implement.types.ts';
import type { Updates } from '#server/modules/updates/index.ts';
import type { adminUpdates } from '#shared/contract/updates.ts';

/** The endpoints of what is known about newer releases. */
export function updatesHandlers({ updates }: { readonly updates: Updates }): Handlers<typeof adminUpdates> {
  return {
    get: () => updates.get(),
    check: (ctx) => updates.check(ctx),
    repository: (ctx) => updates.repository(ctx),
  };
}

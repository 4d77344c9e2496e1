import type { Handlers } from '#server/http/implement.types.ts';
import type { Updates } from '#server/modules/updates/index.ts';
import type { adminUpdates } from '#shared/contract/updates.ts';
import { iso } from '#shared/time.ts';

const presentUpdates = ({ checkedMs, ...known }: Awaited<ReturnType<Updates['get']>>) => ({
  ...known,
  checked_at: iso(checkedMs),
});

/** The endpoints of what is known about newer releases. */
export function updatesHandlers({ updates }: { readonly updates: Updates }): Handlers<typeof adminUpdates> {
  return {
    get: async () => presentUpdates(await updates.get()),
    check: async (ctx) => presentUpdates(await updates.check(ctx)),
    repository: (ctx) => updates.repository(ctx),
  };
}

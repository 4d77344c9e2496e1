import type { Handlers } from '#server/http/implement.types.ts';
import type { Search } from '#server/modules/search/index.ts';
import type { adminSearch } from '#shared/contract/search.ts';

/** The search of staff. */
export function searchHandlers({ search }: { readonly search: Search }): Handlers<typeof adminSearch> {
  return { find: (ctx, { query }) => search.find(ctx, query.q) };
}

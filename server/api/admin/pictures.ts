import type { Handlers } from '#server/http/implement.types.ts';
import type { Pictures } from '#server/modules/pictures/index.ts';
import type { adminPictures } from '#shared/contract/pictures.ts';

/** Pictures of the installation for staff. */
export function picturesHandlers({ pictures }: { readonly pictures: Pictures }): Handlers<typeof adminPictures> {
  return {
    add: async (ctx, { params, body }) => ({ id: await pictures.add(ctx, params.kind, body) }),
  };
}

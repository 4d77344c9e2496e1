import type { Handlers } from '#server/http/implement.types.ts';
import type { Panels } from '#server/modules/panels/index.ts';
import type { adminEggFiles } from '#shared/contract/egg-files.ts';

/** Files of eggs: what one holds, and an egg of it. */
export function eggFilesHandlers({
  panels,
}: {
  readonly panels: Pick<Panels, 'readEggFile' | 'createEggOfFile'>;
}): Handlers<typeof adminEggFiles> {
  return {
    read: (ctx, { body }) => panels.readEggFile(ctx, body.content),
    create: async (ctx, { body }) => ({ id: await panels.createEggOfFile(ctx, body) }),
  };
}

import type { Handlers } from '#server/http/implement.types.ts';
import type { SetupGuide } from '#server/modules/setup-guide/index.ts';
import type { adminSetup } from '#shared/contract/setup-guide.ts';

/** The guide through the first hour of a host. */
export function setupGuideHandlers({ setupGuide }: { readonly setupGuide: SetupGuide }): Handlers<typeof adminSetup> {
  return {
    async get(ctx, { query }) {
      const { steps, finished, address, builtIn, catalogueEmpty } = await setupGuide.get(ctx, query.origin ?? '');
      return {
        finished,
        steps: steps.map(({ checks, ...step }) => ({ ...step, checks: [...checks] })),
        address,
        built_in: builtIn,
        catalogue_empty: catalogueEmpty,
      };
    },
    async complete(ctx, { params, body }) {
      const { state, checks } = await setupGuide.complete(ctx, params.step, body.origin);
      return { state, checks: [...checks] };
    },
    skip: (ctx, { params }) => setupGuide.skip(ctx, params.step),
    sample: (ctx) => setupGuide.addSample(ctx),
  };
}

import type { Handlers } from '#server/http/implement.types.ts';
import type { SetupGuide } from '#server/modules/setup-guide/index.ts';
import type { adminSetup } from '#shared/contract/setup-guide.ts';

type Guide = Awaited<ReturnType<SetupGuide['get']>>;

/** The steps as they are sent. */
export const toGuideSteps = ({ finished, steps }: Pick<Guide, 'finished' | 'steps'>) => ({
  finished,
  steps: steps.map(({ checks, ...step }) => ({ ...step, checks: [...checks] })),
});

/** The guide through the first hour of a host. */
export function setupGuideHandlers({ setupGuide }: { readonly setupGuide: SetupGuide }): Handlers<typeof adminSetup> {
  return {
    async get(ctx, { query }) {
      const guide = await setupGuide.get(ctx, query.origin ?? '');
      const { address, builtIn, catalogueEmpty } = guide;
      return { ...toGuideSteps(guide), address, built_in: builtIn, catalogue_empty: catalogueEmpty };
    },
    async complete(ctx, { params, body }) {
      const { state, checks } = await setupGuide.complete(ctx, params.step, body.origin);
      return { state, checks: [...checks] };
    },
    skip: (ctx, { params }) => setupGuide.skip(ctx, params.step),
    sample: (ctx) => setupGuide.addSample(ctx),
  };
}

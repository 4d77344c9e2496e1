import type { Handlers } from '#server/http/implement.types.ts';
import type { EggFileSummary, Panels } from '#server/modules/panels/index.ts';
import type { adminEggFiles, EggFileSummary as EggFileView } from '#shared/contract/egg-files.ts';

function presentFile(file: EggFileSummary): EggFileView {
  const { dockerImage, otherImages, installImage, configFiles, reasons, variables, unchecked, ...read } = file;
  return {
    ...read,
    docker_image: dockerImage,
    other_images: [...otherImages],
    reasons: [...reasons],
    install_image: installImage,
    config_files: [...configFiles],
    variables: [...variables],
    unchecked: [...unchecked],
  };
}

/** Files of eggs: what one holds, and an egg of it. */
export function eggFilesHandlers({
  panels,
}: {
  readonly panels: Pick<Panels, 'readEggFile' | 'createEggOfFile'>;
}): Handlers<typeof adminEggFiles> {
  return {
    async read(ctx, { body }) {
      const { file, categories } = await panels.readEggFile(ctx, body.content);
      return { file: presentFile(file), categories };
    },
    create: async (ctx, { body }) => ({ id: await panels.createEggOfFile(ctx, body) }),
  };
}

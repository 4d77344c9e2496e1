import type { Handlers } from '#server/http/implement.types.ts';
import type { Images, LibraryImage } from '#server/modules/images/index.ts';
import type { Pictures } from '#server/modules/pictures/index.ts';
import type { adminImages, LibraryImageView } from '#shared/contract/admin-images.ts';
import { IMAGE_SIDES, IMAGES_A_PAGE, imagePath } from '#shared/images.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { iso } from '#shared/time.ts';

function toView({ id, name, by, createdMs, object }: LibraryImage): LibraryImageView {
  const { type, width, height } = object;
  const form = (name: 'small' | 'medium') => {
    const scale = Math.min(1, IMAGE_SIDES[name] / Math.max(width, height));
    return { url: imagePath(id, type, name), width: Math.max(1, Math.round(width * scale)) };
  };
  return {
    id,
    name,
    url: imagePath(id, type),
    forms: [form('small'), form('medium')],
    width,
    height,
    bytes: object.bytesAll,
    by,
    created_at: iso(createdMs),
  };
}

/** Pictures of the host's own for staff. */
export function adminImagesHandlers({
  images,
  pictures,
}: {
  readonly images: Images;
  readonly pictures: Pick<Pictures, 'addOfLibrary' | 'usesOf'>;
}): Handlers<typeof adminImages> {
  const { staffLibrary } = images;
  return {
    async list(ctx, { query }) {
      const [, value, id] = PAST_CURSOR.exec(query.after ?? '') ?? [];
      const after = id === undefined ? null : { value: Number(value), id };
      const found = await staffLibrary.list(ctx, { search: (query.q ?? '').trim(), after });
      const rows = found.slice(0, IMAGES_A_PAGE);
      const last = rows.at(-1);
      return {
        rows: rows.map(toView),
        older: found.length > rows.length && last ? `${last.createdMs}.${last.id}` : null,
      };
    },
    async get(ctx, { params }) {
      const image = await staffLibrary.get(ctx, params.id);
      const uses = await pictures.usesOf(ctx, { id: image.id, hash: image.object.hash });
      return { image: toView(image), uses: uses.map(({ byAddress, ...use }) => ({ ...use, by_address: byAddress })) };
    },
    draw: async (ctx, { params }) => ({
      id: await pictures.addOfLibrary(ctx, params.kind, await staffLibrary.file(ctx, params.id)),
    }),
    create: async (ctx, { query, body }) => ({
      image: toView(await staffLibrary.create(ctx, { name: query.name ?? '', file: body })),
    }),
    rename: async (ctx, { params, body }) => ({ image: toView(await staffLibrary.rename(ctx, params.id, body.name)) }),
    delete: (ctx, { params }) => staffLibrary.delete(ctx, params.id),
  };
}

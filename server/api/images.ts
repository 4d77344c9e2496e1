import type { Handlers, SignedInCtx } from '#server/http/implement.types.ts';
import { archivedName, type HostedImage, type Images } from '#server/modules/images/index.ts';
import type { Ctx, Ids } from '#server/modules/kernel.ts';
import type { images as contract } from '#shared/contract/images.ts';
import type { OwnImage } from '#shared/contract/images.ts';
import { DomainError } from '#shared/errors.ts';
import { IMAGE_REFUND_MS, imagePath, parseImagePath, type ImageOrder } from '#shared/images.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import type { SettingValues } from '#shared/settings.ts';
import { iso } from '#shared/time.ts';
import { readFormFile } from './form-file.ts';
import { sharexConfig } from './sharex.ts';

interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  read(): Promise<Blob | null>;
}
interface Services {
  readonly images: Images;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly settings: { current(): SettingValues };
  /** Public address of the installation, where the setting is empty. */
  readonly appUrl: () => string;
  /** An archive of files that are compressed already, as it is read, and how long it will be. */
  readonly archive: {
    write(files: readonly ArchivedFile[]): AsyncGenerator<Uint8Array>;
    bytes(files: readonly ArchivedFile[]): number;
  };
  /** Where images are shown to others; that of the installation where it is absent. */
  readonly imageUrl?: string | null | undefined;
}
const ORDERED_BY: Readonly<Record<ImageOrder, (image: HostedImage) => number>> = {
  newest: (image) => image.createdMs,
  largest: (image) => image.object.bytesAll,
  views: (image) => image.views,
};

type Addresses = ReturnType<typeof addressesOf>;
/** Addresses of images, as others get them. */
function addressesOf({ appUrl, imageUrl }: Services) {
  const fileUrl = ({ id, object }: HostedImage, form?: 'medium' | 'small') =>
    `${imageUrl ?? appUrl()}${imagePath(id, object.type, form)}`;
  return {
    fileUrl,
    uploadUrl: () => `${appUrl()}/api/images/upload`,
    linkOf: (image: HostedImage, hasCard: boolean) =>
      hasCard ? `${appUrl()}${href('images.view', { id: image.id })}` : fileUrl(image),
    deleteUrl: (id: string, token: string) => `${appUrl()}${href('images.delete', { id })}?token=${token}`,
  };
}

/** An image as its owner sees it. In: whether links to it lead to the page with its card. */
function toOwnImage({ linkOf, fileUrl }: Addresses, image: HostedImage, withCard: boolean): OwnImage {
  const { id, name, object, price, views, hiddenMs, createdMs } = image;
  return {
    id,
    name,
    link: linkOf(image, withCard),
    url: fileUrl(image),
    thumbnail: imagePath(id, object.type, 'small'),
    width: object.width,
    height: object.height,
    bytes: object.bytesAll,
    views,
    hidden: hiddenMs !== null,
    created_at: iso(createdMs),
    refund_until: price > 0 ? iso(createdMs + IMAGE_REFUND_MS) : null,
  };
}

/** All images as one file, numbered, each with the ending of what it is. */
function archiveOf(archive: Services['archive'], images: Awaited<ReturnType<Images['library']['listFiles']>>) {
  const files = images.map(({ image: { name, object }, read }, at) => ({
    name: archivedName(name, object.type, at),
    bytes: object.bytes,
    read,
  }));
  const parts = archive.write(files);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return { filename: 'images.zip', bytes: archive.bytes(files), body };
}

/** Images of users: the endpoints of behaviour 5.5. */
export function imagesHandlers(services: Services): Handlers<typeof contract> {
  const { images, ids, settings } = services;
  const { library, keys, upload } = images;
  const addresses = addressesOf(services);
  const { fileUrl, uploadUrl, linkOf, deleteUrl } = addresses;
  const toOwn = (image: HostedImage, withCard: boolean) => toOwnImage(addresses, image, withCard);

  const hasCard = async (ctx: SignedInCtx) => (await library.embed(ctx)).enabled;

  return {
    async list(ctx, { query }) {
      const order = query.order ?? 'newest';
      const [, value, id] = PAST_CURSOR.exec(query.after ?? '') ?? [];
      const after = id === undefined ? null : { value: Number(value), id };
      const page = await library.list(ctx, { order, search: (query.q ?? '').trim(), after });
      const { image_price: price, image_quota_mb: quota } = settings.current();
      const last = page.rows.at(-1);
      const withCard = await hasCard(ctx);
      return {
        rows: page.rows.map((image) => toOwn(image, withCard)),
        older: page.more && last ? `${ORDERED_BY[order](last)}.${last.id}` : null,
        space: { ...page.usage, most_bytes: quota * 1024 * 1024 },
        price,
        balance: page.balance,
      };
    },
    async upload(ctx, { query, body }) {
      const { image, balance } = await upload({
        userId: ctx.actor.userId,
        uploadId: query.upload,
        name: query.name ?? '',
        file: body,
        price: query.price,
      });
      return { image: toOwn(image, await hasCard(ctx)), balance };
    },
    async send(ctx, { body }) {
      const userId = await keys.getUser(ctx.secret);
      const { name, file } = await readFormFile(ctx.header('content-type') ?? '', body);
      const sent = await upload({ userId, uploadId: ids.uuid(), name, file });
      const { embed } = await library.getShown(sent.image.id);
      return {
        id: sent.image.id,
        url: linkOf(sent.image, embed.enabled),
        thumbnail_url: fileUrl(sent.image, 'small'),
        delete_url: deleteUrl(sent.image.id, sent.deleteToken),
        size: sent.image.object.bytesAll,
        credits_left: sent.balance,
      };
    },
    deleteMany: async (ctx, { body }) => ({ deleted: await library.deleteMany(ctx, body.ids) }),
    archive: async (ctx) => archiveOf(services.archive, await library.listFiles(ctx, ctx.signal)),
    async config(ctx) {
      const key = await keys.find(ctx);
      return {
        key: key && {
          tail: key.tail,
          created_at: iso(key.createdMs),
          used_at: key.usedMs === null ? null : iso(key.usedMs),
        },
        upload_url: uploadUrl(),
        embed: await library.embed(ctx),
      };
    },
    async createKey(ctx) {
      const key = await keys.create(ctx);
      const { app_name: name } = settings.current();
      return { key, config: sharexConfig({ name, appUrl: services.appUrl(), uploadUrl: uploadUrl(), key }) };
    },
    deleteKey: (ctx) => keys.remove(ctx),
    setEmbed: (ctx, { body }) => library.setEmbed(ctx, body),
    async get(_ctx: Ctx, { params }) {
      const { image, embed, username } = await library.getShown(params.id);
      const { id, name, object, createdMs } = image;
      return {
        id,
        name,
        username,
        url: fileUrl(image),
        medium_url: fileUrl(image, 'medium'),
        medium: imagePath(id, object.type, 'medium'),
        width: object.width,
        height: object.height,
        created_at: iso(createdMs),
        embed,
      };
    },
    deleteByToken: (_, { params, body }) => library.deleteByToken(params.id, body.token),
    async file(_, { params }) {
      const name = parseImagePath(`/i/${params.name}`);
      if (!name) throw new DomainError('NOT_FOUND');
      const { type, body, version } = await images.serving.getFile(name);
      return { type, body, version, immutable: true, forAnySite: true };
    },
  };
}

import { DomainError, fieldError } from '#shared/errors.ts';
import { PICTURE_FORMS, PICTURE_MAX_BYTES, type PictureKind } from '#shared/pictures.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Permission } from '#shared/permissions.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { FormSizes, PictureCodec, StoredForm } from './ports.ts';
import { findUses, type LibraryContent } from './uses.ts';

interface PicturesDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codec: PictureCodec;
  readonly settings: { current(): SettingValues };
}
export type Pictures = ReturnType<typeof createPictures>;

/**
 * Pictures that no setting, announcement, egg or egg category names: the newest so many are kept for so long, so that a
 * change can be undone.
 */
const SPARE_MAX = 40;
const SPARE_MS = 60 * 24 * 3600 * 1000;
/** Who may add pictures of a kind: who may change what shows them. */
const RIGHT: Readonly<Record<PictureKind, Permission>> = {
  logo: 'admin.settings.edit',
  icon: 'admin.settings.edit',
  hero: 'admin.settings.edit',
  background: 'admin.settings.edit',
  preview: 'admin.settings.edit',
  announcement: 'admin.announcements.edit',
  egg: 'admin.egg.edit',
  category: 'admin.nests.edit',
};
/** A picture of the library as it is stored. `hash`: of its content. */
interface LibraryFile {
  readonly hash: string;
  readonly file: Uint8Array<ArrayBuffer>;
}
/** Forms in memory: every visitor asks for the same few. */
const CACHED_MAX = 16;

/** Pictures of the installation. Settings name them; what shows a picture is its setting. */
export function createPictures({ uow, clock, ids, codec, settings }: PicturesDeps) {
  const cached = new Map<string, StoredForm>();

  /**
   * Draws a picture anew and keeps it; the same file again is the same picture. Out: its id. Nothing shows it until a
   * setting, an announcement or an egg names it. Throws FORBIDDEN, VALIDATION_FAILED at `picture`.
   */
  async function add(ctx: SignedIn, kind: PictureKind, file: Uint8Array<ArrayBuffer>): Promise<string> {
    assertMay(ctx, RIGHT[kind]);
    if (file.byteLength === 0) throw fieldError('picture', 'REQUIRED');
    if (file.byteLength > PICTURE_MAX_BYTES) throw fieldError('picture', 'PICTURE_TOO_LARGE');
    return keep(kind, file, null);
  }

  /**
   * The same of a picture of the library, which is drawn anew from what is stored of it. In: its content. Throws
   * FORBIDDEN, VALIDATION_FAILED at `picture`.
   */
  async function addOfLibrary(ctx: SignedIn, kind: PictureKind, { hash, file }: LibraryFile): Promise<string> {
    assertMay(ctx, RIGHT[kind]);
    return keep(kind, file, hash);
  }

  async function keep(kind: PictureKind, file: Uint8Array<ArrayBuffer>, libraryHash: string | null): Promise<string> {
    const forms = await codec.draw(kind, file);
    if (typeof forms === 'string') throw fieldError('picture', forms);
    const id = ids.hash([kind, ...forms.map(({ bytes }) => bytes.toBase64())].join('\n')).slice(0, 32);
    await uow.run(async (tx) => {
      // Nothing can come to name a picture that is being removed.
      await tx.settings.lock();
      await tx.pictures.add({ id, kind, createdMs: clock.now(), forms, libraryHash });
      await tx.pictures.remove(await findSpare(tx, id));
    });
    return id;
  }

  /** The pictures that nobody will miss. In: the one that was just added, which is none of them. */
  async function findSpare(tx: Tx, added: string): Promise<string[]> {
    const named = new Set((await tx.settings.all()).map(({ value }) => value));
    const shown = new Set([
      ...(await tx.announcements.listPictures()),
      ...(await tx.catalog.eggs()).map(({ picture }) => picture),
      ...(await tx.catalog.categories()).map(({ picture }) => picture),
    ]);
    const spare = (await tx.pictures.list()).filter(
      ({ id }) => id !== added && !named.has(JSON.stringify(id)) && !shown.has(id),
    );
    const oldest = clock.now() - SPARE_MS;
    return spare.filter(({ createdMs }, at) => at >= SPARE_MAX || createdMs < oldest).map(({ id }) => id);
  }

  /** A form of a picture, for everybody. Throws NOT_FOUND. */
  async function getForm(id: string, name: string): Promise<StoredForm> {
    const key = `${id}/${name}`;
    const found = cached.get(key) ?? (await uow.read((tx) => findForm(tx, id, name)));
    if (!found) throw new DomainError('NOT_FOUND');
    if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value ?? '');
    cached.set(key, found);
    return found;
  }

  /** A form; of a picture that is older than this form of its kind, the largest that it has. */
  async function findForm(tx: Tx, id: string, name: string): Promise<StoredForm | null> {
    const found = await tx.pictures.findForm(id, name);
    if (found) return found;
    const kind = await tx.pictures.kindOf(id);
    const forms = kind === null ? [] : PICTURE_FORMS[kind];
    const isForm = forms.some((form) => form.name === name);
    return isForm && forms[0] ? tx.pictures.findForm(id, forms[0].name) : null;
  }

  /** Pixels of each form of some pictures, by id and name. */
  async function sizesOf(of: readonly string[]): Promise<ReadonlyMap<string, FormSizes>> {
    return of.length === 0 ? new Map() : uow.read((tx) => tx.pictures.sizesOf(of));
  }

  /** Pixels of each form of the installation's icon, by name; null where it has none of its own. */
  async function iconSizes(): Promise<Readonly<Record<string, { width: number; height: number }>> | null> {
    const { icon_picture: id } = settings.current();
    return id === '' ? null : ((await sizesOf([id])).get(id) ?? null);
  }

  return {
    add,
    addOfLibrary,
    usesOf: (ctx: SignedIn, of: LibraryContent) => findUses(uow, ctx, of),
    sizesOf,
    getForm,
    iconSizes,
  };
}

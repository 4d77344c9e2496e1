import { DomainError, fieldError } from '#shared/errors.ts';
import { PICTURE_MAX_BYTES, type PictureKind } from '#shared/pictures.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { PictureCodec, StoredForm } from './ports.ts';

interface PicturesDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codec: PictureCodec;
  readonly settings: { current(): SettingValues };
}
export type Pictures = ReturnType<typeof createPictures>;

/**
 * Pictures that no setting and no announcement names: the newest so many are kept for so long, so that a change can be
 * undone.
 */
const SPARE_MAX = 40;
const SPARE_MS = 60 * 24 * 3600 * 1000;
/** Forms in memory: every visitor asks for the same few. */
const CACHED_MAX = 16;

/** Pictures of the installation. Settings name them; what shows a picture is its setting. */
export function createPictures({ uow, clock, ids, codec, settings }: PicturesDeps) {
  const cached = new Map<string, StoredForm>();

  /**
   * Draws a picture anew and keeps it; the same file again is the same picture. Out: its id. Nothing shows it until a
   * setting or an announcement names it. Throws FORBIDDEN, VALIDATION_FAILED at `picture`.
   */
  async function add(ctx: SignedIn, kind: PictureKind, file: Uint8Array<ArrayBuffer>): Promise<string> {
    assertMay(ctx, kind === 'announcement' ? 'admin.announcements.edit' : 'admin.settings.edit');
    if (file.byteLength === 0) throw fieldError('picture', 'REQUIRED');
    if (file.byteLength > PICTURE_MAX_BYTES) throw fieldError('picture', 'PICTURE_TOO_LARGE');
    const forms = await codec.draw(kind, file);
    if (typeof forms === 'string') throw fieldError('picture', forms);
    const id = ids.hash([kind, ...forms.map(({ bytes }) => bytes.toBase64())].join('\n')).slice(0, 32);
    await uow.run(async (tx) => {
      // No setting can come to name a picture that is being removed.
      await tx.settings.lock();
      await tx.pictures.add({ id, kind, createdMs: clock.now(), forms });
      await tx.pictures.remove(await findSpare(tx, id));
    });
    return id;
  }

  /** The pictures that nobody will miss. In: the one that was just added, which is none of them. */
  async function findSpare(tx: Tx, added: string): Promise<string[]> {
    const named = new Set((await tx.settings.all()).map(({ value }) => value));
    const announced = new Set(await tx.announcements.listPictures());
    const spare = (await tx.pictures.list()).filter(
      ({ id }) => id !== added && !named.has(JSON.stringify(id)) && !announced.has(id),
    );
    const oldest = clock.now() - SPARE_MS;
    return spare.filter(({ createdMs }, at) => at >= SPARE_MAX || createdMs < oldest).map(({ id }) => id);
  }

  /** A form of a picture, for everybody. Throws NOT_FOUND. */
  async function getForm(id: string, name: string): Promise<StoredForm> {
    const key = `${id}/${name}`;
    const found = cached.get(key) ?? (await uow.read((tx) => tx.pictures.findForm(id, name)));
    if (!found) throw new DomainError('NOT_FOUND');
    if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value ?? '');
    cached.set(key, found);
    return found;
  }

  /** Pixels of each form of the installation's icon, by name; null where it has none of its own. */
  async function iconSizes(): Promise<Readonly<Record<string, { width: number; height: number }>> | null> {
    const { icon_picture: id } = settings.current();
    return id === '' ? null : uow.read((tx) => tx.pictures.sizesOf(id));
  }

  return { add, getForm, iconSizes };
}

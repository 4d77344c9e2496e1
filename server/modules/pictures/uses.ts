import type { Permission } from '#shared/permissions.ts';
import { can } from '#shared/can.ts';
import type { SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

/** A picture of the library: its id, which its address has, and the hash of its content. */
export interface LibraryContent {
  readonly id: string;
  readonly hash: string;
}
/**
 * Where a picture of the library is shown. `id`: the key of the setting, or the id. `name`: null for a setting, and
 * where the caller may not see it. `byAddress`: its address stands there, so that nothing is shown once it is deleted;
 * otherwise what was drawn of it stays.
 */
interface PictureUse {
  readonly kind: 'setting' | 'announcement' | 'egg' | 'category';
  readonly id: string;
  readonly name: string | null;
  readonly byAddress: boolean;
}
/** Announcements that are named. */
const ANNOUNCEMENTS_MAX = 50;

/** Where a picture of the library is shown, settings first. */
export function findUses(
  uow: Pick<UnitOfWork, 'read'>,
  { actor, locale }: SignedIn,
  { id, hash }: LibraryContent,
): Promise<PictureUse[]> {
  const named = (right: Permission, name: string) => (can(actor.permissions, right) ? name : null);
  return uow.read(async (tx) => {
    const pictures = await tx.pictures.listOfLibrary(hash);
    const values = new Set(pictures.map((each) => JSON.stringify(each)));
    const settings = (await tx.settings.all()).flatMap(({ key, value }): PictureUse[] => {
      const byAddress = value.includes(`/i/${id}`);
      return byAddress || values.has(value) ? [{ kind: 'setting', id: key, name: null, byAddress }] : [];
    });
    const announcements = await tx.announcements.load(
      await tx.announcements.listNaming(pictures, ANNOUNCEMENTS_MAX),
      false,
    );
    const eggs = (await tx.catalog.eggs()).filter(({ picture }) => pictures.includes(picture));
    const categories = (await tx.catalog.categories()).filter(({ picture }) => pictures.includes(picture));
    return [
      ...settings,
      ...announcements.map(({ id: announcementId, texts }): PictureUse => {
        const text = texts.find((each) => each.locale === locale) ?? texts[0];
        const name = named('admin.announcements.list', text?.title ?? '');
        return { kind: 'announcement', id: announcementId, name, byAddress: false };
      }),
      ...eggs.map((egg): PictureUse => ({
        kind: 'egg',
        id: egg.id,
        name: named('admin.egg.list', egg.name),
        byAddress: false,
      })),
      ...categories.map((category): PictureUse => ({
        kind: 'category',
        id: category.id,
        name: named('admin.nests.list', category.name),
        byAddress: false,
      })),
    ];
  });
}

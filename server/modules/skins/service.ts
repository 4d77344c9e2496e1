import { DomainError, fieldError } from '#shared/errors.ts';
import { SKIN_MAX_BYTES } from '#shared/skin.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { SkinCodec } from './ports.ts';

interface SkinsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codec: SkinCodec;
  /** Whether a user's skin is shown to another (behaviour 7.2). */
  readonly shows: (tx: Tx, viewerId: string, userId: string) => Promise<boolean>;
}
export type Skins = ReturnType<typeof createSkins>;

/** The skin a user shows on their profile. */
export function createSkins({ uow, clock, ids, codec, shows }: SkinsDeps) {
  /**
   * Takes a picture as the caller's skin; the same one again changes nothing, so a request may be repeated. Only its
   * pixels are kept (attacks T42, T43). Out: its fingerprint. Throws VALIDATION_FAILED at `skin`: SKIN_TOO_LARGE,
   * SKIN_FORMAT, SKIN_SIZE.
   */
  async function put(ctx: SignedIn, file: Uint8Array): Promise<string> {
    if (file.byteLength === 0) throw fieldError('skin', 'REQUIRED');
    if (file.byteLength > SKIN_MAX_BYTES) throw fieldError('skin', 'SKIN_TOO_LARGE');
    const clean = codec.clean(file);
    if (clean === 'format') throw fieldError('skin', 'SKIN_FORMAT');
    if (clean === 'size') throw fieldError('skin', 'SKIN_SIZE');
    const { userId } = ctx.actor;
    const png = clean.toBase64();
    const sha256 = ids.hash(png);
    await uow.run(async (tx) => {
      const before = await tx.skins.fingerprint(userId);
      if (before === sha256) return;
      await tx.skins.put({ userId, png, sha256, updatedMs: clock.now() });
      await writeAudit(tx, { clock, ids }, ctx, {
        action: 'account.skin',
        target: userId,
        before: before && { sha256: before },
        after: { sha256 },
      });
    });
    return sha256;
  }

  /** Takes the caller's skin away. Where there is none nothing happens. */
  function remove(ctx: SignedIn): Promise<void> {
    return uow.run(async (tx) => {
      const { userId } = ctx.actor;
      const before = await tx.skins.fingerprint(userId);
      if (!(await tx.skins.remove(userId))) return;
      await writeAudit(tx, { clock, ids }, ctx, {
        action: 'account.skinRemoved',
        target: userId,
        before: { sha256: before },
      });
    });
  }

  /** The fingerprint of a user's skin; null without one. */
  function fingerprint(userId: string): Promise<string | null> {
    return uow.read((tx) => tx.skins.fingerprint(userId));
  }

  /**
   * The picture of a user's skin, for those who may see it: the user, and whoever sees it on their profile. Throws
   * NOT_FOUND for every other, and where there is none.
   */
  async function picture(ctx: SignedIn, userId: string): Promise<{ png: Uint8Array<ArrayBuffer>; sha256: string }> {
    const row = await uow.read(async (tx) =>
      (await shows(tx, ctx.actor.userId, userId)) ? tx.skins.find(userId) : null,
    );
    if (!row) throw new DomainError('NOT_FOUND');
    return { png: Uint8Array.fromBase64(row.png), sha256: row.sha256 };
  }

  return { put, remove, fingerprint, picture };
}

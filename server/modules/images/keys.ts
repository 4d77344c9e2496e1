import { DomainError } from '#shared/errors.ts';
import { isUploadKey, UPLOAD_KEY_PREFIX } from '#shared/images.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { ImagesDeps } from './deps.ts';
import type { UploadKey } from './ports.ts';

/** How exactly a page says when a key was used last. */
const USED_MS = MINUTE;

/** Upload keys: what programs upload with, and can do nothing else with (behaviour 5.5). */
export function createUploadKeys(deps: ImagesDeps) {
  const { uow, clock, ids } = deps;
  return {
    /** The caller's key, without what it is; null: there is none. */
    find: (ctx: SignedIn): Promise<UploadKey | null> => uow.read((tx) => tx.images.keyOf(ctx.actor.userId)),
    /** Makes a key; the one before is of no use any more. Out: the key, which is kept nowhere. */
    create: (ctx: SignedIn): Promise<string> =>
      uow.run(async (tx) => {
        const { userId } = ctx.actor;
        if ((await tx.identity.lockUser(userId))?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
        const key = UPLOAD_KEY_PREFIX + ids.token();
        const createdMs = clock.now();
        await tx.images.putKey({ userId, keyHash: ids.hash(key), tail: key.slice(-4), createdMs });
        await writeAudit(tx, deps, ctx, { action: 'account.image_key', target: userId });
        return key;
      }),
    /** Throws NOT_FOUND where there is none. */
    remove: (ctx: SignedIn): Promise<void> =>
      uow.run(async (tx) => {
        const { userId } = ctx.actor;
        if (!(await tx.images.removeKey(userId))) throw new DomainError('NOT_FOUND');
        await writeAudit(tx, deps, ctx, { action: 'account.image_key_removed', target: userId });
      }),
    /** Whose key it is. Throws IMAGE_KEY_UNKNOWN, also where its user is banned or gone, ACCOUNT_UNVERIFIED. */
    async getUser(secret: string | null): Promise<string> {
      if (secret === null || !isUploadKey(secret)) throw new DomainError('IMAGE_KEY_UNKNOWN');
      const { key, user } = await uow.read(async (tx) => {
        const found = await tx.images.findKey(ids.hash(secret));
        return { key: found, user: found && (await tx.identity.findUser(found.userId)) };
      });
      if (!key || user?.status !== 'active') throw new DomainError('IMAGE_KEY_UNKNOWN');
      if (user.verifiedMs === null && deps.requiresVerification()) throw new DomainError('ACCOUNT_UNVERIFIED');
      const now = clock.now();
      if (now - (key.usedMs ?? 0) > USED_MS) await uow.run((tx) => tx.images.setKeyUsed(key.userId, now));
      return key.userId;
    },
  };
}

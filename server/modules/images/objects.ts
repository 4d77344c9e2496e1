import { DomainError } from '#shared/errors.ts';
import type { ImagesDeps } from './deps.ts';
import type { DrawnImage, ImageObject } from './ports.ts';

/** What is stored of images: the same content once. */
export function createObjects({ uow, clock, ids, log, stores }: ImagesDeps) {
  /**
   * Stores a content. Out: its object, whose files are in the store before any image is. Throws SERVER_UNAVAILABLE
   * where they cannot be stored.
   */
  return async function store({ forms, ...drawn }: DrawnImage): Promise<ImageObject> {
    const sizes = Object.values(forms).map(({ byteLength }) => byteLength);
    const made: ImageObject = {
      ...drawn,
      key: `${drawn.hash.slice(0, 40)}-${ids.hash(ids.token()).slice(0, 8)}`,
      store: stores.current(),
      bytes: forms.full.byteLength,
      bytesAll: sizes.reduce((all, each) => all + each, 0),
    };
    const object = await uow.run(async (tx) => {
      await tx.images.addObject(made, clock.now());
      // Whoever added it: it is not removed for an hour from now.
      await tx.images.touchObject(made.hash, clock.now());
      return (await tx.images.lockObject(made.hash)) ?? made;
    });
    try {
      // Again even where it is known: whoever stored it first may not have come to an end.
      if (object.key === made.key || (await stores[object.store].open(object.key, 'small')) === null)
        await stores[object.store].write(object.key, forms);
    } catch (error) {
      log.error('images.store_failed', { store: object.store, error: String(error) });
      throw new DomainError('SERVER_UNAVAILABLE');
    }
    return object;
  };
}

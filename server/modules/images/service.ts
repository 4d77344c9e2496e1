import type { ImagesDeps } from './deps.ts';
import { createUploadKeys } from './keys.ts';
import { createLibrary } from './library.ts';
import { createModeration } from './moderation.ts';
import { createStaffLibrary } from './staff-library.ts';
import { createServing } from './serving.ts';
import { createUpload } from './upload.ts';

export type Images = ReturnType<typeof createImages>;

/** Images of users (behaviour 5.5). */
export function createImages(deps: ImagesDeps) {
  const library = createLibrary(deps);
  return {
    upload: createUpload(deps),
    library,
    moderation: createModeration(deps, library.remove),
    keys: createUploadKeys(deps),
    serving: createServing(deps),
    staffLibrary: createStaffLibrary(deps),
  };
}

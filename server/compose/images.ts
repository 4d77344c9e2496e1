import { join } from 'node:path';
import { uploadsFolder } from '../backups/create.ts';
import { createDiskStore } from '../images/hosted/disk-store.ts';
import { ownThreadCodec } from '../images/hosted/image-codec.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { networkOf, requiresVerification, type Identity } from '../modules/identity/index.ts';
import { createImageReports } from '../modules/image-reports/index.ts';
import { createImages } from '../modules/images/index.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';

/** Images of users (behaviour 5.5), in the data folder. */
export function composeImages(foundation: Foundation, { config, imageCodec = ownThreadCodec }: ServiceDeps) {
  const dataDir = config.dataDir ?? '.';
  const disk = createDiskStore({ uploads: uploadsFolder(dataDir), incoming: join(dataDir, 'incoming') });
  const images = createImages({
    ...foundation,
    requiresVerification: () => requiresVerification(foundation),
    codec: imageCodec,
    stores: { current: () => 'disk', disk, s3: disk },
  });
  const tasks: ScheduledTask[] = [
    { name: 'images.traffic', everyMs: 30 * SECOND, run: () => images.serving.flush() },
    { name: 'images.unused', everyMs: 10 * MINUTE, run: () => images.library.removeUnused() },
    { name: 'images.blocked', everyMs: 10 * MINUTE, run: () => images.moderation.removeBlocked() },
    { name: 'images.traffic.purge', everyMs: DAY, run: () => images.serving.removeOldTraffic() },
  ];
  return { services: { images }, tasks };
}

/** Reports of images: anybody makes them, staff decide, and may ban whose image it is. */
export function composeImageReports(
  foundation: Foundation,
  {
    images,
    identity,
  }: Pick<ReturnType<typeof composeImages>['services'], 'images'> & {
    readonly identity: Pick<Identity, 'ban'>;
  },
) {
  const ban = identity.ban;
  return { imageReports: createImageReports({ ...foundation, images, ban, networkOf }) };
}

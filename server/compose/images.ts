import { join } from 'node:path';
import { uploadsFolder } from '../backups/create.ts';
import { createS3, s3PlaceOf } from '../backups/remote/s3.ts';
import { createDiskStore } from '../images/hosted/disk-store.ts';
import { createKeptForms } from '../images/hosted/kept-forms.ts';
import { createS3Store } from '../images/hosted/s3-store.ts';
import { ownThreadCodec } from '../images/hosted/image-codec.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { networkOf, requiresVerification, type Identity } from '../modules/identity/index.ts';
import { createImageReports } from '../modules/image-reports/index.ts';
import { createImages } from '../modules/images/index.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';

/** The disk sends larger forms itself: what is sent slowly would be in memory meanwhile. */
const KEPT_OF_DISK = 1 << 20;
/** Somebody waits for an image: a storage that is silent is not waited for long. */
const BRIEF = { pausesMs: [500], timeoutMs: 10_000 };

/** The storage that the settings name for new images; null: they go to the data folder. */
export function imagePlaceOf({ settings, outbound: fetch }: Pick<Foundation, 'settings' | 'outbound'>) {
  return () => {
    const place = s3PlaceOf(settings.current(), 'image');
    return place && { storage: createS3({ fetch, place, ...BRIEF }), prefix: place.prefix };
  };
}

/** Images of users (behaviour 5.5), in the data folder or in the storage that the settings name. */
export function composeImages(foundation: Foundation, { config, imageCodec = ownThreadCodec }: ServiceDeps) {
  const dataDir = config.dataDir ?? '.';
  const placeNow = imagePlaceOf(foundation);
  const keep = createKeptForms();
  const s3 = keep(createS3Store(placeNow), Infinity);
  const onDisk = createDiskStore({ uploads: uploadsFolder(dataDir), incoming: join(dataDir, 'incoming') });
  const disk = keep(onDisk, KEPT_OF_DISK);
  const images = createImages({
    ...foundation,
    requiresVerification: () => requiresVerification(foundation),
    codec: imageCodec,
    stores: { current: () => (placeNow() ? 's3' : 'disk'), disk, s3 },
  });
  const tasks: ScheduledTask[] = [
    { name: 'images.traffic', everyMs: 30 * SECOND, run: () => images.serving.flush() },
    { name: 'images.unused', everyMs: 10 * MINUTE, run: () => images.library.removeUnused() },
    { name: 'images.blocked', everyMs: 10 * MINUTE, run: () => images.moderation.removeBlocked() },
    { name: 'images.traffic.purge', everyMs: DAY, run: () => images.serving.removeOldTraffic() },
  ];
  return { services: { images }, tasks, jobs: images.library.jobs };
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
  const imageReports = createImageReports({ ...foundation, images, ban, networkOf });
  const tasks: ScheduledTask[] = [{ name: 'imageReports.purge', everyMs: DAY, run: () => imageReports.purge() }];
  return { services: { imageReports }, tasks };
}

import { DAY } from '#shared/time.ts';
import { createComplaints } from './complaints.ts';
import { createDecisions } from './decisions.ts';
import type { ImageReportsDeps } from './deps.ts';
import { createStaffReports } from './staff.ts';

export type ImageReports = ReturnType<typeof createImageReports>;

/** Reports of images of users (behaviour 5.5): anybody makes them, staff decide. */
export function createImageReports(deps: ImageReportsDeps) {
  return {
    complaints: createComplaints(deps),
    staff: { ...createStaffReports(deps), ...createDecisions(deps) },
    purge: () => purgeReports(deps),
  };
}

/** Reports that are removed in one transaction. */
const STEP = 200;

/**
 * Removes reports that were decided for good longer ago than `image_report_days`, with what people said of the image. A
 * content that was refused stays so. For the scheduler.
 */
async function purgeReports({ uow, clock, settings }: ImageReportsDeps): Promise<void> {
  const beforeMs = clock.now() - settings.current().image_report_days * DAY;
  while ((await uow.run((tx) => tx.imageReports.removeDecided(beforeMs, STEP))) === STEP);
}

import { createComplaints } from './complaints.ts';
import { createDecisions } from './decisions.ts';
import type { ImageReportsDeps } from './deps.ts';
import { createStaffReports } from './staff.ts';

export type ImageReports = ReturnType<typeof createImageReports>;

/** Reports of images of users (behaviour 5.5): anybody makes them, staff decide. */
export function createImageReports(deps: ImageReportsDeps) {
  return { complaints: createComplaints(deps), staff: { ...createStaffReports(deps), ...createDecisions(deps) } };
}

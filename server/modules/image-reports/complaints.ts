import { DomainError } from '#shared/errors.ts';
import { REPORTS_A_DAY, type ReportReason, type ReportState } from '#shared/image-reports.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { ImageReportsDeps } from './deps.ts';

/** What somebody says of an image. */
interface NewComplaint {
  readonly imageId: string;
  readonly reason: ReportReason;
  readonly details: string;
}

/** Reports of anybody (behaviour 5.5). Of all that is said of an image staff have one report to work through. */
export function createComplaints(deps: ImageReportsDeps) {
  const { uow, clock, ids } = deps;

  const keyOf = ({ actor, address }: Ctx): string =>
    deps.keyed.mac('image-reporter', actor ? `user:${actor.userId}` : `network:${deps.networkOf(address)}`);

  async function assertShown(tx: Tx, imageId: string): Promise<void> {
    const image = await tx.images.find(imageId);
    if (!image || image.hiddenMs !== null) throw new DomainError('NOT_FOUND');
  }

  /** Looks whether there is anything to report, before the challenge is spent. Throws NOT_FOUND. */
  const assertReportable = (imageId: string): Promise<void> => uow.read((tx) => assertShown(tx, imageId));

  /**
   * Reports an image. The same person reports it once, however often they send it. Out: the id under which they read
   * what became of it. Throws NOT_FOUND for an image that nobody sees, RATE_LIMITED.
   */
  function create(ctx: Ctx, { imageId, reason, details }: NewComplaint): Promise<string> {
    return uow.run(async (tx) => {
      const image = await tx.images.lock(imageId);
      if (!image || image.hiddenMs !== null) throw new DomainError('NOT_FOUND');
      const reporterKey = keyOf(ctx);
      const before = await tx.imageReports.findComplaintOf(imageId, reporterKey);
      if (before) return before.id;
      const now = clock.now();
      if ((await tx.imageReports.countComplaintsOf(reporterKey, now - DAY)) >= REPORTS_A_DAY)
        throw new DomainError('RATE_LIMITED', { retryAfterS: HOUR / 1000 });
      const open = await tx.imageReports.lockOpen(imageId);
      const reportId = open?.id ?? ids.uuid();
      if (open) await tx.imageReports.addToCount(open.id, now);
      else
        await tx.imageReports.add({
          id: reportId,
          imageId,
          ownerId: image.userId,
          hash: image.object.hash,
          name: image.name,
          state: 'open',
          reason,
          complaints: 1,
          note: '',
          createdMs: now,
          lastMs: now,
          decidedMs: null,
          decidedBy: null,
        });
      const id = ids.token().slice(0, 22);
      const reporterId = ctx.actor?.userId ?? null;
      await tx.imageReports.addComplaint({
        id,
        reportId,
        imageId,
        reporterId,
        reporterKey,
        reason,
        details,
        createdMs: now,
      });
      await deps.events.emit(tx, 'image.reported', { reportId, imageId });
      return id;
    });
  }

  /** What became of a complaint, for whoever knows its id. Throws NOT_FOUND. */
  const getState = (id: string): Promise<{ readonly state: ReportState; readonly createdMs: number }> =>
    uow.read(async (tx) => {
      const complaint = await tx.imageReports.findComplaint(id);
      const report = complaint && (await tx.imageReports.find(complaint.reportId));
      if (!report) throw new DomainError('NOT_FOUND');
      return { state: report.state, createdMs: complaint.createdMs };
    });

  return { assertReportable, create, getState };
}

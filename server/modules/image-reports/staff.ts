import { DomainError } from '#shared/errors.ts';
import type { ImageForm } from '#shared/images.ts';
import type { HostedImage, ImageFile } from '../images/index.ts';
import { permitted } from '../permit.ts';
import type { ImageReportsDeps } from './deps.ts';
import type { ImageComplaint, ImageReport, ReportsQuery } from './ports.ts';

/** What people said that a page of a report shows. */
const COMPLAINTS_SHOWN = 50;

interface OpenedReport {
  readonly report: ImageReport;
  /** Null: it is gone. */
  readonly image: HostedImage | null;
  readonly owner: { readonly id: string; readonly username: string; readonly isBanned: boolean } | null;
  readonly complaints: readonly (ImageComplaint & { readonly reporter: string | null })[];
  /** Its content is refused. */
  readonly isBlocked: boolean;
  readonly decidedByName: string | null;
  /** The next report that waits; null: none does. */
  readonly nextId: string | null;
}

/** Reports of images, for staff (behaviour 5.5). */
export function createStaffReports(deps: ImageReportsDeps) {
  const { uow, images } = deps;

  const list = permitted('admin.image.reports.list', (_ctx, query: ReportsQuery) =>
    uow.read((tx) => tx.imageReports.list(query)),
  );

  /** A report with what was said. Throws NOT_FOUND. */
  const get = permitted('admin.image.reports.view', (_ctx, id: string): Promise<OpenedReport> =>
    uow.read(async (tx) => {
      const report = await tx.imageReports.find(id);
      if (!report) throw new DomainError('NOT_FOUND');
      const nameOf = async (userId: string | null) =>
        userId === null ? null : ((await tx.identity.findUser(userId))?.username ?? null);
      const owner = await tx.identity.findUser(report.ownerId);
      const complaints = [];
      for (const each of await tx.imageReports.listComplaints(id, COMPLAINTS_SHOWN))
        complaints.push({ ...each, reporter: await nameOf(each.reporterId) });
      return {
        report,
        image: await tx.images.find(report.imageId),
        owner: owner && { id: owner.id, username: owner.username, isBanned: owner.status === 'banned' },
        complaints,
        isBlocked: await tx.images.isBlocked(report.hash),
        decidedByName: await nameOf(report.decidedBy),
        nextId: await tx.imageReports.findNext(id),
      };
    }),
  );

  /** The image of a report, also where it is hidden. Throws NOT_FOUND. */
  const getPicture = permitted(
    'admin.image.reports.view',
    async (_ctx, id: string, form: ImageForm): Promise<ImageFile> => {
      const image = await uow.read(async (tx) => {
        const report = await tx.imageReports.find(id);
        return report && tx.images.find(report.imageId);
      });
      if (!image) throw new DomainError('NOT_FOUND');
      return images.moderation.open(image, form);
    },
  );

  /** Notes something for staff. Throws NOT_FOUND. */
  const setNote = permitted('admin.image.reports.edit', (ctx, id: string, note: string) =>
    uow.run(async (tx) => {
      const report = await tx.imageReports.lock(id);
      if (!report) throw new DomainError('NOT_FOUND');
      await tx.imageReports.setNote(id, note);
      await deps.events.emit(tx, 'image.report_noted', { reportId: id, imageId: report.imageId }, ctx);
    }),
  );

  /** Has a content back that was refused: it may be uploaded again. Throws NOT_FOUND where it is not refused. */
  const allow = permitted('admin.image.reports.edit', (ctx, id: string) =>
    uow.run(async (tx) => {
      const report = await tx.imageReports.lock(id);
      if (!report || !(await images.moderation.unblock(tx, report.hash))) throw new DomainError('NOT_FOUND');
      await deps.events.emit(tx, 'image.report_allowed', { reportId: id, imageId: report.imageId }, ctx);
    }),
  );

  /** Removes a report that is decided; its content stays refused. Throws NOT_FOUND, and REPORT_OPEN for one that waits. */
  const deleteOne = permitted('admin.image.reports.delete', (ctx, id: string) =>
    uow.run(async (tx) => {
      const report = await tx.imageReports.lock(id);
      if (!report) throw new DomainError('NOT_FOUND');
      if (report.state === 'open' || report.state === 'hidden') throw new DomainError('REPORT_OPEN');
      await tx.imageReports.remove(id);
      await deps.events.emit(tx, 'image.report_deleted', { reportId: id, imageId: report.imageId }, ctx);
    }),
  );

  return { list, get, getPicture, setNote, allow, deleteOne };
}

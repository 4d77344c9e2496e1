import { DomainError } from '#shared/errors.ts';
import type { ImageForm } from '#shared/images.ts';
import type { ReportDecision, ReportState } from '#shared/image-reports.ts';
import { DAY } from '#shared/time.ts';
import type { HostedImage, ImageFile } from '../images/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, permitted } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { ANSWERS, lockCase, type ImageReportsDeps, type LockedCase } from './deps.ts';
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
  const { uow, clock, images } = deps;

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

  /** Ends a report, or keeps it for later (`hidden`): says so to everybody who reported the image. */
  async function close(tx: Tx, ctx: SignedIn, report: ImageReport, state: Exclude<ReportState, 'open'>): Promise<void> {
    await tx.imageReports.setState(report.id, state, { userId: ctx.actor.userId, atMs: clock.now() });
    const answer = ANSWERS[state];
    // Once upheld there is no more to say when the hidden image is deleted.
    if (ANSWERS[report.state] !== answer)
      for (const { id, userId } of await tx.imageReports.listReporters(report.id))
        await deps.events.emit(tx, 'image.report_answered', { complaintId: id, userId, answer });
    await deps.events.emit(
      tx,
      'image.report_decided',
      { reportId: report.id, imageId: report.imageId, from: report.state, to: state },
      ctx,
    );
  }

  /** Deletes the image and every copy of it, and has its content refused from now on. */
  async function remove(tx: Tx, ctx: SignedIn, { report, image }: LockedCase): Promise<void> {
    await images.moderation.block(tx, report.hash);
    if (image) await images.moderation.remove(tx, image);
    await close(tx, ctx, report, 'deleted');
    // Reports of copies: what they ask for is done.
    for (const id of await tx.imageReports.listUndecided(report.hash)) {
      const copy = await tx.imageReports.lock(id);
      if (copy?.state === 'open' || copy?.state === 'hidden') await close(tx, ctx, copy, 'deleted');
    }
  }

  async function apply(tx: Tx, ctx: SignedIn, locked: LockedCase, decision: ReportDecision): Promise<void> {
    const { report, image } = locked;
    if (report.state === 'deleted' || report.state === 'rejected') throw new DomainError('REPORT_CLOSED');
    if (decision === 'delete') return remove(tx, ctx, locked);
    if (decision === 'hide') {
      if (report.state === 'hidden') throw new DomainError('REPORT_CLOSED');
      if (!image) throw new DomainError('NOT_FOUND');
      await images.moderation.setHidden(tx, image, true);
      return close(tx, ctx, report, 'hidden');
    }
    if (image) await images.moderation.setHidden(tx, image, false);
    return close(tx, ctx, report, 'rejected');
  }

  /**
   * Decides: `hide` keeps the image from everybody, `delete` deletes it and refuses its content from then on, `reject`
   * leaves it, or shows it again. Throws NOT_FOUND, also for hiding what is gone, and REPORT_CLOSED where it is
   * decided.
   */
  const decide = permitted('admin.image.reports.edit', async (ctx, id: string, decision: ReportDecision) => {
    await uow.run(async (tx) => apply(tx, ctx, await lockCase(tx, id), decision));
    if (decision === 'delete') await images.moderation.removeBlocked();
  });

  /**
   * Bans the owner and deletes the image. The ban comes first: where it is refused nothing has happened. Throws as
   * `identity.ban` and `decide` do; with a report that ended with the deletion only the ban is left to do.
   */
  const banAndDelete = permitted(
    'admin.image.reports.edit',
    async (ctx, id: string, { reason, days }: { readonly reason: string; readonly days: number }) => {
      assertMay(ctx, 'admin.users.edit');
      const report = await uow.read((tx) => tx.imageReports.find(id));
      if (!report) throw new DomainError('NOT_FOUND');
      if (report.state === 'rejected') throw new DomainError('REPORT_CLOSED');
      await deps.ban(ctx, report.ownerId, { reason, untilMs: days === 0 ? null : clock.now() + days * DAY });
      await uow.run(async (tx) => {
        const locked = await lockCase(tx, id);
        if (locked.report.state !== 'deleted') await apply(tx, ctx, locked, 'delete');
      });
      await images.moderation.removeBlocked();
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

  return { list, get, getPicture, decide, banAndDelete, setNote, allow, deleteOne };
}

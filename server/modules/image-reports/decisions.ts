import { DomainError } from '#shared/errors.ts';
import type { ReportDecision, ReportState } from '#shared/image-reports.ts';
import { DAY } from '#shared/time.ts';
import type { HostedImage } from '../images/index.ts';
import type { SignedIn } from '../kernel.ts';
import { afterBan } from '../after-ban.ts';
import { assertMay, permitted } from '../permit.ts';
import { runEach } from '../run-each.ts';
import type { Tx } from '../tx.ts';
import type { ImageReportsDeps } from './deps.ts';
import type { ImageReport } from './ports.ts';

/** What staff decide on, with everything locked in the one order: the owner, the image, its content, the report. */
interface LockedCase {
  readonly report: ImageReport;
  /** Null: it is gone. */
  readonly image: HostedImage | null;
}

/** A report and its image, locked. Throws NOT_FOUND. */
async function lockCase(tx: Tx, id: string): Promise<LockedCase> {
  const found = await tx.imageReports.find(id);
  if (!found) throw new DomainError('NOT_FOUND');
  await tx.identity.lockUser(found.ownerId);
  const image = await tx.images.lock(found.imageId);
  await tx.images.lockObject(found.hash);
  const report = await tx.imageReports.lock(id);
  if (!report) throw new DomainError('NOT_FOUND');
  return { report, image };
}

/** What somebody who reported an image is told. */
const ANSWERS = {
  open: null,
  hidden: 'upheld',
  deleted: 'upheld',
  rejected: 'rejected',
} as const satisfies Record<ReportState, 'upheld' | 'rejected' | null>;

/** Whether a report ended with one of a copy before it. In: the contents that were decided on. */
const isDeletedWithCopy = ({ report }: LockedCase, decision: ReportDecision, decided: ReadonlySet<string>): boolean =>
  decision === 'delete' && report.state === 'deleted' && decided.has(report.hash);

/** Deletes the copies of what was refused. The decision stands by now; where this breaks off, the scheduler ends it. */
async function clear({ images, log }: ImageReportsDeps): Promise<void> {
  try {
    await images.moderation.removeBlocked();
  } catch (error) {
    log.error('images.clear_failed', { error: error instanceof Error ? error.stack : String(error) });
  }
}

/** Notifies everybody who reported the image of what became of it, unless that was said before. */
async function answerReporters(
  { events }: Pick<ImageReportsDeps, 'events'>,
  tx: Tx,
  report: ImageReport,
  answer: 'upheld' | 'rejected',
): Promise<void> {
  // Once upheld there is no more to say when the hidden image is deleted.
  if (ANSWERS[report.state] === answer) return;
  for (const { id, userId } of await tx.imageReports.listReporters(report.id))
    await events.emit(tx, 'image.report_answered', { complaintId: id, userId, answer });
}

/** What staff decide about a report (behaviour 5.5). */
export function createDecisions(deps: ImageReportsDeps) {
  const { uow, clock, images, log } = deps;

  /** Ends a report, or keeps it for later (`hidden`): says so to everybody who reported the image. */
  async function close(tx: Tx, ctx: SignedIn, report: ImageReport, state: Exclude<ReportState, 'open'>): Promise<void> {
    await tx.imageReports.setState(report.id, state, { userId: ctx.actor.userId, atMs: clock.now() });
    await answerReporters(deps, tx, report, ANSWERS[state]);
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
    if (decision === 'delete') await clear(deps);
  });

  /**
   * The same decision on several reports, each by itself as `decide` does it. Out: how many were decided, and which
   * were refused and why (`runEach`). A copy that went with another report of the list was decided as well. Throws
   * FORBIDDEN.
   */
  const decideMany = permitted(
    'admin.image.reports.edit',
    async (ctx, ids: readonly string[], decision: ReportDecision) => {
      const decided = new Set<string>();
      const outcome = await runEach(log, ids, async (id) => {
        const hash = await uow.run(async (tx) => {
          const locked = await lockCase(tx, id);
          if (!isDeletedWithCopy(locked, decision, decided)) await apply(tx, ctx, locked, decision);
          return locked.report.hash;
        });
        decided.add(hash);
      });
      if (decision === 'delete' && outcome.done > 0) await clear(deps);
      return outcome;
    },
  );

  /**
   * Bans the owner and deletes the image. The ban comes first: where it is refused nothing has happened. Throws as
   * `identity.ban` and `decide` do, and BAN_INCOMPLETE where the image could not be deleted after the ban; with a
   * report that ended with the deletion only the ban is left to do.
   */
  const banAndDelete = permitted(
    'admin.image.reports.edit',
    async (ctx, id: string, { reason, days }: { readonly reason: string; readonly days: number }) => {
      assertMay(ctx, 'admin.users.edit');
      const report = await uow.read((tx) => tx.imageReports.find(id));
      if (!report) throw new DomainError('NOT_FOUND');
      if (report.state === 'rejected') throw new DomainError('REPORT_CLOSED');
      await deps.ban(ctx, report.ownerId, { reason, untilMs: days === 0 ? null : clock.now() + days * DAY });
      await afterBan(log, () =>
        uow.run(async (tx) => {
          const locked = await lockCase(tx, id);
          if (locked.report.state !== 'deleted') await apply(tx, ctx, locked, 'delete');
        }),
      );
      await clear(deps);
    },
  );

  return { decide, decideMany, banAndDelete };
}

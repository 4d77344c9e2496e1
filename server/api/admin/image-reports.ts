import type { Handlers } from '#server/http/implement.types.ts';
import type { ImageReports } from '#server/modules/image-reports/index.ts';
import type { ImageReport } from '#server/modules/image-reports/ports.ts';
import type { adminImageReports, ImageReportRow } from '#shared/contract/image-reports.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly imageReports: Pick<ImageReports, 'staff'>;
}

const toRow = (report: ImageReport, names: { owner: string; decidedBy: string | null }): ImageReportRow => ({
  id: report.id,
  image_id: report.imageId,
  name: report.name,
  owner: names.owner,
  state: report.state,
  reason: report.reason,
  complaints: report.complaints,
  created_at: iso(report.createdMs),
  last_at: iso(report.lastMs),
  decided_at: iso(report.decidedMs),
  decided_by: names.decidedBy,
});

/** Reports of images for staff. */
export function staffImageReportsHandlers({ imageReports }: Services): Handlers<typeof adminImageReports> {
  const { staff } = imageReports;
  return {
    async list(ctx, { query }) {
      const { page, perPage } = pageOf(query);
      const { state, reason } = query;
      const found = await staff.list(ctx, { state, reason, offset: (page - 1) * perPage, limit: perPage });
      return {
        rows: found.rows.map((row) => toRow(row, { owner: row.owner, decidedBy: row.decidedByName })),
        paging: { page, per_page: perPage, total: found.total, more: found.more },
      };
    },
    async get(ctx, { params }) {
      const { report, image, owner, complaints, isBlocked, decidedByName, nextId } = await staff.get(ctx, params.id);
      return {
        report: {
          ...toRow(report, { owner: owner?.username ?? '', decidedBy: decidedByName }),
          note: report.note,
        },
        image: image && {
          width: image.object.width,
          height: image.object.height,
          bytes: image.object.bytesAll,
          views: image.views,
          created_at: iso(image.createdMs),
        },
        owner: owner && { id: owner.id, username: owner.username, banned: owner.isBanned },
        complaints: complaints.map(({ id, reason, details, reporter, createdMs }) => ({
          id,
          reason,
          details,
          reporter,
          created_at: iso(createdMs),
        })),
        blocked: isBlocked,
        next: nextId,
      };
    },
    picture: (ctx, { params }) => staff.getPicture(ctx, params.id, params.form),
    decide: (ctx, { params, body }) => staff.decide(ctx, params.id, body.decision),
    decideMany: (ctx, { body }) => staff.decideMany(ctx, body.ids, body.decision),
    ban: (ctx, { params, body }) => staff.banAndDelete(ctx, params.id, body),
    note: (ctx, { params, body }) => staff.setNote(ctx, params.id, body.note),
    allow: (ctx, { params }) => staff.allow(ctx, params.id),
    remove: (ctx, { params }) => staff.deleteOne(ctx, params.id),
  };
}

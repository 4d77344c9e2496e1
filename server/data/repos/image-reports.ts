import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { findRow, insertRow, lockRow, updateRow } from '#server/data/row.ts';
import type { ImageComplaints, ImageReports } from '#server/data/schema.ts';
import type { ImageComplaint, ImageReport, ImageReportsRepo } from '#server/modules/image-reports/ports.ts';
import type { ReportReason, ReportState } from '#shared/image-reports.ts';

/** Reports of a list that are counted. */
const COUNTED = 1000;

const toReport = (row: ImageReports): ImageReport => ({
  id: row.id,
  imageId: row.image_id,
  ownerId: row.owner_id,
  hash: row.hash,
  name: row.name,
  state: row.state as ReportState,
  reason: row.reason as ReportReason,
  complaints: row.complaints,
  note: row.note,
  createdMs: row.created_ms,
  lastMs: row.last_ms,
  decidedMs: row.decided_ms,
  decidedBy: row.decided_by,
});
const toComplaint = (row: ImageComplaints): ImageComplaint => ({
  id: row.id,
  reportId: row.report_id,
  imageId: row.image_id,
  reporterId: row.reporter_id,
  reporterKey: row.reporter_key,
  reason: row.reason as ReportReason,
  details: row.details,
  createdMs: row.created_ms,
});

/** Reports of images in the database. */
export function createImageReportsRepo(raw: Raw): ImageReportsRepo {
  return { ...reportsPart(raw), ...listsPart(raw), ...complaintsPart(raw) };
}

type Single = 'add' | 'find' | 'lock' | 'lockOpen' | 'addToCount' | 'setState' | 'setNote' | 'remove' | 'removeDecided';
function reportsPart(raw: Raw): Pick<ImageReportsRepo, Single> {
  const lock = async (id: string): Promise<ImageReport | null> => {
    const row = await lockRow(raw, 'image_reports', { id });
    return row ? toReport(row) : null;
  };
  return {
    add: (report) =>
      insertRow(raw, 'image_reports', {
        id: report.id,
        image_id: report.imageId,
        owner_id: report.ownerId,
        hash: report.hash,
        name: report.name,
        state: report.state,
        reason: report.reason,
        complaints: report.complaints,
        note: report.note,
        created_ms: report.createdMs,
        last_ms: report.lastMs,
        decided_ms: report.decidedMs,
        decided_by: report.decidedBy,
      }),
    async find(id) {
      const row = await findRow(raw, 'image_reports', { id });
      return row ? toReport(row) : null;
    },
    lock,
    async lockOpen(imageId) {
      const row = await raw.one<{ id: string }>("SELECT id FROM image_reports WHERE image_id = ? AND state = 'open'", [
        imageId,
      ]);
      const locked = row ? await lock(row.id) : null;
      return locked?.state === 'open' ? locked : null;
    },
    async addToCount(id, atMs) {
      await raw.run('UPDATE image_reports SET complaints = complaints + 1, last_ms = ? WHERE id = ?', [atMs, id]);
    },
    setState: (id, state, { userId, atMs }) =>
      updateRow(raw, 'image_reports', { state, decided_ms: atMs, decided_by: userId }, { id }),
    setNote: (id, note) => updateRow(raw, 'image_reports', { note }, { id }),
    async remove(id) {
      await raw.run('DELETE FROM image_reports WHERE id = ?', [id]);
    },
    removeDecided: async (beforeMs, limit) =>
      (
        await raw.run(
          `DELETE FROM image_reports WHERE id IN (
            SELECT id FROM image_reports
            WHERE decided_ms < ? AND state IN ('deleted', 'rejected') ORDER BY decided_ms LIMIT ?)`,
          [beforeMs, limit],
        )
      ).changes,
  };
}

function listsPart(raw: Raw): Pick<ImageReportsRepo, 'list' | 'listUndecided' | 'findNext'> {
  return {
    async listUndecided(hash) {
      const rows = await raw.all<{ id: string }>(
        "SELECT id FROM image_reports WHERE hash = ? AND state IN ('open', 'hidden') ORDER BY id",
        [hash],
      );
      return rows.map(({ id }) => id);
    },
    async findNext(exceptId) {
      const row = await raw.one<{ id: string }>(
        `SELECT id FROM image_reports${alongIndex(raw, 'image_reports_by_state')} WHERE state = 'open' AND id <> ?
         ORDER BY created_ms, id LIMIT 1`,
        [exceptId],
      );
      return row?.id ?? null;
    },
    async list({ state, reason, offset, limit }) {
      const conditions = [...(state ? ['state = ?'] : []), ...(reason ? ['reason = ?'] : [])];
      const params: Param[] = [...(state ? [state] : []), ...(reason ? [reason] : [])];
      const index = alongIndex(raw, state ? 'image_reports_by_state' : 'image_reports_by_time');
      const from = `FROM image_reports${index} WHERE ${conditions.length > 0 ? conditions.join(' AND ') : '1 = 1'}`;
      // What waits longest comes first; of what is decided, the newest.
      const order = state === 'open' ? 'ASC' : 'DESC';
      const rows = await raw.all<ImageReports & { owner: string | null; decided_by_name: string | null }>(
        `SELECT r.*, u.username AS owner, s.username AS decided_by_name
         FROM (SELECT * ${from} ORDER BY created_ms ${order}, id ${order} LIMIT ? OFFSET ?) AS r
         LEFT JOIN users u ON u.id = r.owner_id LEFT JOIN users s ON s.id = r.decided_by
         ORDER BY r.created_ms ${order}, r.id ${order}`,
        [...params, limit, offset],
      );
      const counted = await raw.one<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (SELECT 1 AS one ${from} LIMIT ?) AS found`,
        [...params, COUNTED + 1],
      );
      const total = Number(counted?.n ?? 0);
      return {
        rows: rows.map((row) => ({
          ...toReport(row),
          owner: row.owner ?? '',
          decidedByName: row.decided_by_name,
        })),
        total: Math.min(total, COUNTED),
        more: total > COUNTED,
      };
    },
  };
}

type Complaints =
  'addComplaint' | 'findComplaint' | 'findComplaintOf' | 'countComplaintsOf' | 'listComplaints' | 'listReporters';
function complaintsPart(raw: Raw): Pick<ImageReportsRepo, Complaints> {
  return {
    addComplaint: (complaint) =>
      insertRow(raw, 'image_complaints', {
        id: complaint.id,
        report_id: complaint.reportId,
        image_id: complaint.imageId,
        reporter_id: complaint.reporterId,
        reporter_key: complaint.reporterKey,
        reason: complaint.reason,
        details: complaint.details,
        created_ms: complaint.createdMs,
      }),
    async findComplaint(id) {
      const row = await findRow(raw, 'image_complaints', { id });
      return row ? toComplaint(row) : null;
    },
    async findComplaintOf(imageId, reporterKey) {
      const row = await findRow(raw, 'image_complaints', { image_id: imageId, reporter_key: reporterKey });
      return row ? toComplaint(row) : null;
    },
    async countComplaintsOf(reporterKey, sinceMs) {
      const row = await raw.one<{ n: number }>(
        'SELECT COUNT(*) AS n FROM image_complaints WHERE reporter_key = ? AND created_ms > ?',
        [reporterKey, sinceMs],
      );
      return Number(row?.n ?? 0);
    },
    async listComplaints(reportId, limit) {
      const rows = await raw.all<ImageComplaints>(
        `SELECT * FROM image_complaints${alongIndex(raw, 'image_complaints_of_report')} WHERE report_id = ?
         ORDER BY created_ms, id LIMIT ?`,
        [reportId, limit],
      );
      return rows.map(toComplaint);
    },
    async listReporters(reportId) {
      const rows = await raw.all<{ id: string; reporter_id: string }>(
        `SELECT id, reporter_id FROM image_complaints${alongIndex(raw, 'image_complaints_of_report')}
         WHERE report_id = ? AND reporter_id IS NOT NULL ORDER BY created_ms, id`,
        [reportId],
      );
      return rows.map(({ id, reporter_id: userId }) => ({ id, userId }));
    },
  };
}

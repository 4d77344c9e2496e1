import type { ReportReason, ReportState } from '#shared/image-reports.ts';

/** A report of an image: what several people said of it is one. It outlives the image. */
export interface ImageReport {
  readonly id: string;
  readonly imageId: string;
  readonly ownerId: string;
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  /** Of the file; empty where its owner's account is gone. */
  readonly name: string;
  readonly state: ReportState;
  /** Of the first who reported it. */
  readonly reason: ReportReason;
  /** How many people reported it. */
  readonly complaints: number;
  /** What staff noted for each other. */
  readonly note: string;
  readonly createdMs: number;
  readonly lastMs: number;
  readonly decidedMs: number | null;
  readonly decidedBy: string | null;
}
/** What one person said of an image. */
export interface ImageComplaint {
  readonly id: string;
  readonly reportId: string;
  readonly imageId: string;
  /** Null: somebody without a session, or whose account is gone. */
  readonly reporterId: string | null;
  /** Keyed hash of the user or the network: who it was, to count nobody twice. */
  readonly reporterKey: string;
  readonly reason: ReportReason;
  readonly details: string;
  readonly createdMs: number;
}
export interface ReportsQuery {
  /** Absent: any. */
  readonly state?: ReportState | undefined;
  readonly reason?: ReportReason | undefined;
  readonly offset: number;
  readonly limit: number;
}
/** Reports as a list shows them. */
interface ReportsFound {
  readonly rows: readonly (ImageReport & { readonly owner: string; readonly decidedByName: string | null })[];
  /** Counted up to a bound. */
  readonly total: number;
  /** There are more than `total`. */
  readonly more: boolean;
}

export interface ImageReportsRepo {
  add(report: ImageReport): Promise<void>;
  find(id: string): Promise<ImageReport | null>;
  /** The same, locked until the transaction ends. */
  lock(id: string): Promise<ImageReport | null>;
  /** The report of an image that waits, locked. */
  lockOpen(imageId: string): Promise<ImageReport | null>;
  /** Ids of reports of a content that are open or whose image is hidden. */
  listUndecided(hash: string): Promise<string[]>;
  /** Counts another complaint. */
  addToCount(id: string, atMs: number): Promise<void>;
  setState(id: string, state: ReportState, by: { readonly userId: string; readonly atMs: number }): Promise<void>;
  setNote(id: string, note: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes reports that were decided for good before a moment, at most `limit`. Out: how many. */
  removeDecided(beforeMs: number, limit: number): Promise<number>;
  list(query: ReportsQuery): Promise<ReportsFound>;
  /** The open report that waits longest, but for one. */
  findNext(exceptId: string): Promise<string | null>;
  addComplaint(complaint: ImageComplaint): Promise<void>;
  findComplaint(id: string): Promise<ImageComplaint | null>;
  findComplaintOf(imageId: string, reporterKey: string): Promise<ImageComplaint | null>;
  countComplaintsOf(reporterKey: string, sinceMs: number): Promise<number>;
  /** What people said, the first ones first. */
  listComplaints(reportId: string, limit: number): Promise<readonly ImageComplaint[]>;
  /** Users among those who reported it. */
  listReporters(reportId: string): Promise<readonly { readonly id: string; readonly userId: string }[]>;
}

import type { Bit, Ms } from './values.ts';

export interface ImageReports {
  id: string;
  image_id: string;
  owner_id: string;
  hash: string;
  name: string;
  state: string;
  reason: string;
  complaints: number;
  note: string;
  created_ms: Ms;
  last_ms: Ms;
  decided_ms: Ms | null;
  decided_by: string | null;
}

export interface ImageComplaints {
  id: string;
  report_id: string;
  image_id: string;
  reporter_id: string | null;
  reporter_key: string;
  reason: string;
  details: string;
  created_ms: Ms;
}

export interface ImageBlocks {
  hash: string;
  created_ms: Ms;
  cleared: Bit;
}

export interface ImageReportsTables {
  image_reports: ImageReports;
  image_complaints: ImageComplaints;
  image_blocks: ImageBlocks;
}

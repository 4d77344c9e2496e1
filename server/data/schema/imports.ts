import type { ImportKind, ImportProduct, ImportState } from '#shared/imports.ts';
import type { Bit, Ms } from './values.ts';

export interface ImportRuns {
  id: string;
  product: ImportProduct;
  instance: string;
  state: ImportState;
  fault: string | null;
  /** JSON. */
  options: string;
  summary: string;
  started_by: string | null;
  created_ms: Ms;
  updated_ms: Ms;
}

/** Which of our rows a row of another dashboard became. */
export interface ImportedRows {
  product: string;
  instance: string;
  kind: ImportKind;
  source_id: string;
  run_id: string;
  target_id: string;
  /** Our row was made for it; 0: it was there before. */
  made: Bit;
  /** Credits that came with it. */
  credits: number;
  /** What an undo needs, as JSON: the `external_id` that a server had at the panel. */
  undo: string;
}

/** A payment at another dashboard: for the books alone. */
export interface ImportedPayments {
  id: string;
  run_id: string;
  user_id: string;
  gateway: string;
  reference: string;
  status: string;
  /** Money with two decimals; null: it is not known. */
  amount: string | null;
  currency: string;
  credits: number | null;
  paid_ms: Ms | null;
}

/** Who used a code before it came here. */
export interface ImportedCodeUses {
  code_id: string;
  user_id: string;
}

export interface ImportsTables {
  import_runs: ImportRuns;
  imported_rows: ImportedRows;
  imported_payments: ImportedPayments;
  imported_code_uses: ImportedCodeUses;
}

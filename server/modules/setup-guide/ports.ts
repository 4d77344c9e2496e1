import type { SetupStep } from '#shared/setup-guide.ts';

/** A step that somebody completed or left out. */
export interface StoredStep {
  readonly step: SetupStep;
  readonly state: 'done' | 'skipped';
  /** What it was completed for: where that is another by now, it is open again. */
  readonly evidence: string;
  readonly atMs: number;
}
export interface SetupRepo {
  list(): Promise<StoredStep[]>;
  save(step: StoredStep): Promise<void>;
}

/** Rows of an export that are read at a time: some ms of work between two looks at everybody else. */
const EXPORT_STEP = 500;

/** Where a list that is ordered by creation goes on: behind this row. */
export interface CreatedCursor {
  readonly createdMs: number;
  readonly id: string;
}

/**
 * Every row of a list in the order of its creation, some hundred at a time, each on a view of its own: who is created
 * or goes meanwhile may be missing. In: how to read so many rows behind a row; null: from the beginning. Rejects where
 * the first cannot be read, so that this is an error response and not a file that breaks off.
 */
export async function exportSteps<T extends CreatedCursor>(
  read: (after: CreatedCursor | null, limit: number) => Promise<readonly T[]>,
): Promise<AsyncIterable<readonly T[]>> {
  return stepsFrom(await read(null, EXPORT_STEP), read);
}

async function* stepsFrom<T extends CreatedCursor>(
  begun: readonly T[],
  read: (after: CreatedCursor | null, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let rows = begun; ;) {
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < EXPORT_STEP) return;
    rows = await read({ createdMs: last.createdMs, id: last.id }, EXPORT_STEP);
  }
}

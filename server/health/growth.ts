import type { UnitOfWork } from '#server/modules/tx.ts';
import type { HealthKey } from '#shared/health.ts';
import { DAY, HOUR } from '#shared/time.ts';

/** A growth is not told from less than this. */
const SHORTEST_MS = 3 * HOUR;

/**
 * How much a figure grows a day, by the oldest one that is kept. In: the check, its figure now and the time. Out: the
 * difference a day, null where the figures do not reach back far enough.
 */
export async function growthOf(
  uow: UnitOfWork,
  { key, figure, nowMs }: { readonly key: HealthKey; readonly figure: number; readonly nowMs: number },
): Promise<number | null> {
  const first = await uow.read((tx) => tx.health.findFirst(key, ''));
  if (first === null || nowMs - first.atMs < SHORTEST_MS) return null;
  return Math.round(((figure - first.figure) * DAY) / (nowMs - first.atMs));
}

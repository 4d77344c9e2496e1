import { DomainError } from '#shared/errors.ts';
import type { Clock, Ctx, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { deviceName } from './device.ts';

export { createActivity, type Activity } from './activity.ts';
export { deviceName } from './device.ts';
export { createAuditRetention } from './retention.ts';
export { createAuditLog, type AuditLog } from './staff-log.ts';
export { nameInAudit, READ_BY, readableAreas } from './readers.ts';

interface AuditFacts {
  /** `area.verb`. */
  readonly action: string;
  readonly target?: string | null;
  /** Before and after the change, secrets already masked. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Writes one row of the audit log in the transaction of the change (behaviour 1). Without a context the system itself
 * acted. Throws VIEWING_READ_ONLY where staff view as the actor: nothing is done in the name of who is only viewed,
 * even if an endpoint let it through (attacks T39).
 */
export async function writeAudit(
  tx: Tx,
  deps: { clock: Clock; ids: Ids },
  ctx: Ctx | null,
  facts: AuditFacts,
): Promise<void> {
  if (ctx?.actor?.viewer) throw new DomainError('VIEWING_READ_ONLY');
  await tx.audit.add({
    id: deps.ids.uuid(),
    atMs: deps.clock.now(),
    actorId: ctx?.actor?.userId ?? null,
    action: facts.action,
    target: facts.target ?? null,
    before: facts.before ?? null,
    after: facts.after ?? null,
    address: ctx?.address ?? null,
    device: ctx ? deviceName(ctx.userAgent) || null : null,
    requestId: ctx?.requestId ?? null,
  });
}

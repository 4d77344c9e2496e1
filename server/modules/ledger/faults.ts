import type { Events } from '../events/index.ts';
import type { Clock, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { LedgerFault } from './ports.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: Pick<Events, 'emit'>;
}

/** Faults a proof names at most: where there are more, what it does not name may be wrong as well. */
const MANY = 50;

/** A user's account: what a system account holds belongs to nobody who could spend it. */
const isUsers = (account: string) => /^(user|hold|debt):/.test(account);

/**
 * Acts on what a whole proof of the ledger found: writes it down for staff, notifies them of what is new, and freezes
 * the users' accounts that are wrong, so that nothing leaves them until a proof finds them right again. In: all faults
 * of one proof. It may run any number of times.
 */
export async function recordFaults({ uow, clock, log, events }: Deps, faults: readonly LedgerFault[]): Promise<void> {
  if (faults.length > 0) log.error('ledger.fault', { faults: faults.map(({ text }) => text) });
  const now = clock.now();
  await uow.run(async (tx) => {
    const before = await tx.ledgerFaults.count();
    let fresh = 0;
    for (const fault of faults) if (await tx.ledgerFaults.record(fault, now)) fresh += 1;
    await tx.ledgerFaults.keepOnly(faults);
    const wrong = [
      ...new Set(faults.flatMap(({ account }) => (account !== null && isUsers(account) ? [account] : []))),
    ];
    await tx.ledgerFaults.freeze(wrong, now);
    const freed = faults.length < MANY ? await tx.ledgerFaults.unfreezeOthers(wrong) : [];
    for (const account of [...wrong, ...freed]) tx.touch(`user:${account.slice(account.indexOf(':') + 1)}`);
    if (fresh > 0) await events.emit(tx, 'ledger.faults_found', { count: faults.length, atMs: now });
    if (faults.length === 0 && before > 0) await events.emit(tx, 'ledger.faults_mended', { atMs: now });
  });
}

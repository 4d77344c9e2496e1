import type { SettingValues } from '#shared/settings.ts';
import type { Clock, Ids, Log, Sealer } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { Counters } from '../counters/index.ts';
import type { Payout } from '../payout/index.ts';
import type { Claim, LinkProviders } from './ports.ts';

export interface LinksDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly settings: { current(): SettingValues };
  readonly counters: Counters;
  readonly payout: Pick<Payout, 'pay'>;
  readonly providers: LinkProviders;
  /** Public address of the product, without a slash at its end: where visitors come back. */
  readonly appUrl: () => string;
}

/** How long a provider may be asked about one claim before somebody else may ask: longer than any of its time-outs. */
const CHECKING_MS = 15_000;

/** Whether a provider is being asked about the claim right now. A mark from the future is a clock set back. */
export function isBeingChecked({ checkingMs }: Claim, nowMs: number): boolean {
  return checkingMs !== null && checkingMs <= nowMs && nowMs < checkingMs + CHECKING_MS;
}

/** Purpose under which a claim's token and link are sealed. */
const SEALED = 'links';

export function seal({ sealer }: LinksDeps, claimId: string, text: string): string {
  return sealer.seal(SEALED, claimId, text);
}

/** A sealed text of a claim; null where there is none, or it cannot be opened (the key was changed meanwhile). */
export function unseal({ sealer }: Pick<LinksDeps, 'sealer'>, claimId: string, sealed: string | null): string | null {
  if (sealed === null) return null;
  const opened = sealer.open(SEALED, claimId, sealed);
  return 'text' in opened ? opened.text : null;
}

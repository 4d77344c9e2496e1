import { ratesBetween, type UsageTotals } from '#shared/machine.ts';
import { SECOND } from '#shared/time.ts';

const NO_RATES = { cpu: 0, received: 0, sent: 0 };
/** Totals of a server that does not run. */
export const NO_TOTALS: UsageTotals = { cpuUs: 0, received: 0, sent: 0 };
/** A process that was never looked at. */
const UNSEEN = { atMs: 0, totals: NO_TOTALS, ...NO_RATES };

/** What the process of a server takes in a second, from its totals at two looks. */
export class UsageRates {
  private looked = UNSEEN;

  /** Its process ended: the totals of the next one begin anew. */
  forget(): void {
    this.looked = UNSEEN;
  }
  /**
   * Looks at its totals: percent of one core, bytes a second. Between two looks that are close together they say
   * nothing.
   */
  look(totals: UsageTotals): void {
    const atMs = performance.now();
    if (atMs - this.looked.atMs <= SECOND) return;
    const rates = this.looked === UNSEEN ? NO_RATES : ratesBetween(this.looked, { atMs, totals });
    this.looked = { atMs, totals, ...rates, cpu: Math.round(rates.cpu * 10) / 10 };
  }
  /** The rates at the last look; nothing where there was none. */
  rates(): typeof NO_RATES {
    const { cpu, received, sent } = this.looked;
    return { cpu, received, sent };
  }
}

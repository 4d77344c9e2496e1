import type { AttentionKey } from '#shared/attention.ts';

/** How many there are of something, and since when the oldest waits (UTC ms). */
export interface Waiting {
  readonly count: number;
  readonly sinceMs: number | null;
}
/** That somebody of staff put an item off. */
export interface Snooze {
  readonly item: string;
  /** How many there were then: more of them end it early. */
  readonly count: number;
  readonly untilMs: number;
}
/** What staff were notified of. */
interface AttentionReport {
  readonly key: AttentionKey;
  readonly reportedMs: number;
  /** There is nothing of it any more; null: there still is. */
  readonly endedMs: number | null;
}
export interface AttentionRepo {
  /** Servers whose creation failed since a moment and that still stand there as failed; with some of their names. */
  failedServers(sinceMs: number, names: number): Promise<Waiting & { readonly names: readonly string[] }>;
  /**
   * Orders that staff have to confirm, in all; and the oldest: its code or what was bought, and whose it is. `total`
   * (minor units): null where they are in several currencies.
   */
  ordersToConfirm(): Promise<
    Waiting & {
      readonly total: number | null;
      readonly currency: string | null;
      readonly label: string | null;
      readonly username: string | null;
    }
  >;
  disputes(): Promise<Waiting>;
  /** Payments since a moment whose order is not known here. */
  unknownPayments(sinceMs: number): Promise<Waiting>;
  /** Events and orders since a moment that could not be completed, those apart whose order is not known. */
  paymentProblems(sinceMs: number): Promise<Waiting>;
  heldRewards(): Promise<Waiting & { readonly credits: number; readonly users: number }>;
  /** E-mails written since a moment that were not delivered, though their address was not refused. */
  failedMails(sinceMs: number): Promise<Waiting>;
  /**
   * Whether every check of backups since a moment said that there is none that would help, and how long that is known
   * of; none where that was not said all the time.
   */
  missingBackup(sinceMs: number): Promise<Waiting>;
  /** Whether the newest look at the node found a fault, and since when. */
  machineFault(): Promise<Waiting>;
  /** Tickets that wait for staff. */
  openTickets(): Promise<Waiting>;
  /** Reports of images that nobody has decided. */
  imageReports(): Promise<Waiting>;
  drift(): Promise<Waiting>;
  ledgerFaults(): Promise<Waiting>;

  /** What a member of staff put off and is not due again. */
  listSnoozes(userId: string, nowMs: number): Promise<Snooze[]>;
  snooze(userId: string, snooze: Snooze): Promise<void>;
  unsnooze(userId: string, item: string): Promise<void>;

  listReports(): Promise<AttentionReport[]>;
  saveReport(report: AttentionReport): Promise<void>;
}

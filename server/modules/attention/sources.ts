import type { AttentionKey } from '#shared/attention.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { Tx } from '../tx.ts';
import { newerThan, parseFeed } from '../updates/index.ts';

/** Something that needs a person. */
export interface Found {
  /** What of its key it is about; absent where a key has one at most. */
  readonly subject?: string;
  readonly count: number;
  /** Since when the oldest of them waits, UTC ms; null: it is not known. */
  readonly sinceMs: number | null;
  /** Values of its text (`attention:item.<key>`). */
  readonly data?: Readonly<Record<string, string | number>>;
}
/**
 * Finds what there is of one key. In: a consistent view, the time (UTC ms), the version that runs. Counts along indexes
 * only.
 */
type Source = (tx: Tx, nowMs: number, version: string) => Promise<readonly Found[]>;

/** How far back failed servers are looked for, and payments, as their page does. */
const FAILED_MS = 14 * DAY;
const PAYMENTS_MS = 90 * DAY;
/** And e-mails: what was not delivered for longer is no news any more. */
const MAILS_MS = 3 * DAY;
/** Backups that are missing for less are none's business: a new installation has nothing to save yet. */
const BACKUP_MS = 12 * HOUR;
/** Servers whose names stand in the text. */
const NAMES = 2;

/** One item of a key; none where there is nothing of it. */
const single = (found: Found): readonly Found[] => (found.count > 0 ? [found] : []);

/** How each key is found. What is new gets its row here and in shared/attention.ts, and its texts. */
export const ATTENTION_SOURCES: Readonly<Record<AttentionKey, Source>> = {
  ledgerFaults: async (tx) => single(await tx.attention.ledgerFaults()),
  machine: async (tx) => single(await tx.attention.machineFault()),
  panelOutages: async (tx) =>
    (await tx.overview.outages()).map(({ panelId: id, panel, node, cause, sinceMs, waiting }) => ({
      subject: `${id}/${node ?? ''}`,
      count: 1,
      sinceMs,
      data: { panel_id: id, panel, node: node ?? '', cause, waiting },
    })),
  unknownPayments: async (tx, nowMs) => single(await tx.attention.unknownPayments(nowMs - PAYMENTS_MS)),
  paymentProblems: async (tx, nowMs) => single(await tx.attention.paymentProblems(nowMs - PAYMENTS_MS)),
  failedServers: async (tx, nowMs) => {
    const { names, ...found } = await tx.attention.failedServers(nowMs - FAILED_MS, NAMES);
    return single({ ...found, data: { names: names.join(', '), more: Math.max(0, found.count - names.length) } });
  },
  ordersToConfirm: async (tx) => {
    const { total, currency, label, username, ...found } = await tx.attention.ordersToConfirm();
    return single({
      ...found,
      data: {
        label: label ?? '',
        username: username ?? '',
        ...(total !== null && currency ? { total, currency } : {}),
      },
    });
  },
  disputes: async (tx) => single(await tx.attention.disputes()),
  heldRewards: async (tx) => {
    const { credits, users, ...found } = await tx.attention.heldRewards();
    return single({ ...found, data: { credits, users } });
  },
  failedMails: async (tx, nowMs) => single(await tx.attention.failedMails(nowMs - MAILS_MS)),
  backups: async (tx, nowMs) => single(await tx.attention.missingBackup(nowMs - BACKUP_MS)),
  tickets: async (tx) => single(await tx.attention.openTickets()),
  imageReports: async (tx) => single(await tx.attention.imageReports()),
  securityUpdate: async (tx, _nowMs, version) => {
    const state = await tx.updates.find();
    const holes = newerThan(version, parseFeed(state?.content ?? '')).filter(({ security }) => security);
    const newest = holes[0]?.version ?? '';
    const sinceMs = Math.min(...holes.map(({ date }) => Date.parse(date)));
    return holes.length > 0 ? [{ count: 1, sinceMs, data: { version: newest } }] : [];
  },
  drift: async (tx) => single(await tx.attention.drift()),
};

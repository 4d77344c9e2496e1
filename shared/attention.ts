import type { Permission } from './permissions.ts';
import type { RouteId } from './routes/table.ts';

interface AttentionFacts {
  /** Who sees it, and is asked to do something about it. */
  readonly permission: Permission;
  /** `danger`: something is broken; `warning`: somebody waits. */
  readonly tone: 'danger' | 'warning';
  /** Where it is dealt with. */
  readonly route: RouteId;
  /** What the address of that page carries besides, from the `?` or `#` on. */
  readonly suffix?: string;
  /** Where the navigation counts it, if not at that page. */
  readonly nav?: RouteId;
}

/**
 * What may need a person (behaviour 8.2), the most pressing kinds first: the overview lists what there is of it, and
 * the navigation counts it. Its texts are `attention:item.<key>`; what is found is asked by the source of the same key
 * (server/modules/attention/sources.ts).
 */
export const ATTENTION = {
  ledgerFaults: { permission: 'admin.health.view', tone: 'danger', route: 'admin.dashboard', suffix: '#ledger' },
  machine: { permission: 'admin.health.view', tone: 'danger', route: 'admin.machine' },
  panelOutages: { permission: 'admin.panels.list', tone: 'danger', route: 'admin.panels.list' },
  unknownPayments: { permission: 'admin.payments.list', tone: 'danger', route: 'admin.payments.list' },
  paymentProblems: { permission: 'admin.payments.list', tone: 'danger', route: 'admin.payments.list' },
  failedServers: {
    permission: 'admin.servers.list',
    tone: 'danger',
    route: 'admin.servers.list',
    suffix: '?state=failed',
  },
  ordersToConfirm: {
    permission: 'admin.payments.list',
    tone: 'warning',
    route: 'admin.payments.list',
    suffix: '?provider=manual&state=pending',
  },
  disputes: {
    permission: 'admin.payments.list',
    tone: 'warning',
    route: 'admin.payments.list',
    suffix: '?state=disputed',
  },
  heldRewards: { permission: 'admin.rewards.held.list', tone: 'warning', route: 'admin.heldRewards' },
  tickets: { permission: 'admin.tickets.list', tone: 'warning', route: 'admin.tickets.list' },
  imageReports: { permission: 'admin.image.reports.list', tone: 'warning', route: 'admin.imageReports.list' },
  failedMails: { permission: 'admin.mails.list', tone: 'warning', route: 'admin.mails.list', suffix: '?state=failed' },
  backups: { permission: 'admin.backups.list', tone: 'warning', route: 'admin.backups' },
  securityUpdate: {
    permission: 'admin.dashboard.components.system.updates',
    tone: 'warning',
    route: 'admin.dashboard',
    suffix: '#updates',
  },
  drift: {
    permission: 'admin.servers.list',
    tone: 'warning',
    route: 'admin.servers.drift',
    nav: 'admin.servers.list',
  },
} as const satisfies Record<string, AttentionFacts>;

export type AttentionKey = keyof typeof ATTENTION;

/** Every key, in the order of the list. */
export const ATTENTION_KEYS = Object.keys(ATTENTION) as AttentionKey[];

/** The facts of a key, as their common type. */
export const attentionFacts = (key: AttentionKey): AttentionFacts => ATTENTION[key];

/** Hours that something may be put off for. */
export const SNOOZE_HOURS = [4, 24, 168] as const;

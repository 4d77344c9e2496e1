/** How mails of a subject come: not at all, at once, or collected in one mail a day. */
export const MAIL_WAYS = ['off', 'now', 'daily'] as const;
export type MailWay = (typeof MAIL_WAYS)[number];

/** By which ways what is said of a subject reaches a user. */
export interface NotificationWays {
  readonly app: boolean;
  readonly mail: MailWay;
  readonly push: boolean;
}
/** The headings under which subjects stand, in their order. */
export const NOTIFICATION_GROUPS = ['credits', 'servers', 'support', 'staff', 'account'] as const;
type NotificationGroup = (typeof NOTIFICATION_GROUPS)[number];

interface Subject extends NotificationWays {
  readonly group: NotificationGroup;
  /** In the app and by mail it comes whatever its user chose, at any hour: security (behaviour 7.5). */
  readonly always?: true;
}
const subject = (group: NotificationGroup, mail: MailWay, push: boolean) => ({ group, app: true, mail, push }) as const;

/** What users choose ways for, with those of whoever chose nothing (behaviour 7.5). Staff alone see the group `staff`. */
export const NOTIFICATION_SUBJECTS = {
  payments: subject('credits', 'off', true),
  rewards: subject('credits', 'off', false),
  gifts: subject('credits', 'off', true),
  adjustments: subject('credits', 'off', true),
  expiry: subject('servers', 'now', true),
  suspension: subject('servers', 'now', true),
  setup: subject('servers', 'now', true),
  capacity: subject('servers', 'now', true),
  sharing: subject('servers', 'off', true),
  tickets: subject('support', 'now', true),
  images: subject('support', 'off', false),
  announcements: subject('support', 'off', true),
  pluginMails: subject('support', 'now', false),
  assignedTickets: subject('staff', 'off', true),
  moneyFaults: subject('staff', 'off', true),
  reviews: subject('staff', 'off', true),
  installation: subject('staff', 'off', true),
  commands: subject('staff', 'off', false),
  profile: subject('account', 'off', false),
  security: { ...subject('account', 'now', true), always: true },
} as const satisfies Readonly<Record<string, Subject>>;
export type NotificationSubject = keyof typeof NOTIFICATION_SUBJECTS;
/** All of them, in the order in which they are listed. */
export const SUBJECT_NAMES = Object.keys(NOTIFICATION_SUBJECTS) as NotificationSubject[];

/**
 * Every kind of notification, by the subject that it belongs to. A new one is added here, and its words in `shell`
 * under `notification`. Kinds with a mail of their own (shared/mails.ts) have one of the same name.
 */
export const NOTIFICATION_KINDS = {
  creditsAdded: 'payments',
  paymentTaken: 'payments',
  paymentReturned: 'payments',
  purchaseRefunded: 'payments',
  rewardHeld: 'rewards',
  rewardReleased: 'rewards',
  rewardRejected: 'rewards',
  referralUnknown: 'rewards',
  referralNewcomerPaid: 'rewards',
  referralReferrerPaid: 'rewards',
  referralNewcomerHeld: 'rewards',
  referralReferrerHeld: 'rewards',
  earlySupporterPaid: 'rewards',
  earlySupporterHeld: 'rewards',
  j4rClawedBack: 'rewards',
  j4rUnlinked: 'rewards',
  giftReceived: 'gifts',
  pluginPaid: 'gifts',
  pluginMessage: 'announcements',
  pluginMail: 'pluginMails',
  giftReceivedNote: 'gifts',
  giftSent: 'gifts',
  adjustmentIn: 'adjustments',
  adjustmentOut: 'adjustments',
  renewReminder: 'expiry',
  renewOverdue: 'expiry',
  serverRenewed: 'expiry',
  serverSuspended: 'suspension',
  serverHalted: 'suspension',
  serverResumed: 'suspension',
  serverDeleteWarning: 'suspension',
  serverDeleted: 'suspension',
  serverReady: 'setup',
  serverFailed: 'setup',
  capacityFree: 'capacity',
  subuserAdded: 'sharing',
  subuserRemoved: 'sharing',
  subuserLeft: 'sharing',
  ticketAnswered: 'tickets',
  ticketClosed: 'tickets',
  ticketMerged: 'tickets',
  ticketSplit: 'tickets',
  imageHidden: 'images',
  imageShown: 'images',
  imageRemoved: 'images',
  imageReportUpheld: 'images',
  imageReportRejected: 'images',
  ticketReplied: 'assignedTickets',
  ticketAssigned: 'assignedTickets',
  announcementPublished: 'announcements',
  announcementPreview: 'announcements',
  paymentMismatch: 'moneyFaults',
  paymentDispute: 'moneyFaults',
  paymentDebt: 'moneyFaults',
  paymentStuck: 'moneyFaults',
  paymentRefundFailed: 'moneyFaults',
  paymentUnknown: 'moneyFaults',
  ledgerFault: 'moneyFaults',
  ledgerMended: 'moneyFaults',
  serversFailed: 'reviews',
  ordersToConfirm: 'reviews',
  rewardsToReview: 'reviews',
  ticketsWaiting: 'reviews',
  imagesReported: 'reviews',
  panelAway: 'installation',
  panelKey: 'installation',
  nodeAway: 'installation',
  panelBack: 'installation',
  nodeBack: 'installation',
  webhookDisabled: 'installation',
  pluginStopped: 'installation',
  machineNeeds: 'installation',
  mailsFailed: 'installation',
  backupMissing: 'installation',
  securityUpdate: 'installation',
  driftFound: 'installation',
  bulkDone: 'commands',
  bulkStopped: 'commands',
  deletionCancelled: 'profile',
  exportReady: 'profile',
  passwordChanged: 'security',
  newDevice: 'security',
  emailChanged: 'security',
  emailRestored: 'security',
  twoFactorOn: 'security',
  twoFactorOff: 'security',
  twoFactorRemoved: 'security',
  recoveryCodeUsed: 'security',
  passkeyAdded: 'security',
  passkeyRemoved: 'security',
  passkeyTaken: 'security',
  passkeyCopied: 'security',
  tokenCreated: 'security',
  identityLinked: 'security',
  identityUnlinked: 'security',
  identityTaken: 'security',
  usernameChanged: 'security',
  viewedByStaff: 'security',
  deletionRequested: 'security',
} as const satisfies Readonly<Record<string, NotificationSubject>>;
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

/** Whether a text names a kind that this version knows. */
export function isNotificationKind(text: string): text is NotificationKind {
  return Object.hasOwn(NOTIFICATION_KINDS, text);
}

/** The heading under which a kind stands; that of the account for one that this version does not know. */
export function groupOfKind(kind: string): NotificationGroup {
  return isNotificationKind(kind) ? NOTIFICATION_SUBJECTS[NOTIFICATION_KINDS[kind]].group : 'account';
}

/** What a user chose otherwise than by default. */
export type NotificationChoices = Readonly<Partial<Record<NotificationSubject, NotificationWays>>>;

/** The ways of a subject: what its user chose, else the default; those of security stay on. */
export function waysOf(choices: NotificationChoices, name: NotificationSubject): NotificationWays {
  const { app, mail, push, ...rest }: Subject = NOTIFICATION_SUBJECTS[name];
  const chosen = choices[name] ?? { app, mail, push };
  return rest.always ? { app: true, mail: 'now', push: chosen.push } : chosen;
}

/** Whether a subject comes whatever its user chose. */
export function isAlways(name: NotificationSubject): boolean {
  const found: Subject = NOTIFICATION_SUBJECTS[name];
  return found.always === true;
}

/** The hour of a day at which the daily mail of whoever chose none leaves, in their time zone. */
export const DIGEST_HOUR = 8;

/** When a user wants their mails of a day, and no push or mail but of security. Hours of their time zone, 0 to 23. */
export interface NotificationTimes {
  readonly digestHour: number;
  /** Null: no quiet hours. They may go over midnight; from and until are never the same. */
  readonly quiet: { readonly from: number; readonly until: number } | null;
}

/** Data of a notification's sentence. */
export type NotificationFacts = Readonly<Record<string, string | number>>;

import type { Generated } from 'kysely';
import type { AreaName, RESOURCES } from '#shared/resources/index.ts';
import type { Store } from '#shared/resources/types.ts';
import type { OrderState } from '#shared/schemas/payment.ts';

/**
 * Every table, as Kysely sees it. Portable subset: TEXT ids, INTEGER (PostgreSQL: bigint) for times in UTC ms, credits
 * and counts, 0/1 for booleans, JSON as TEXT. Column names are snake_case; times end in _ms.
 */
type Bit = 0 | 1;
type Ms = number;

interface Stored {
  text: string;
  name: string;
  int: number;
  bit: Bit;
  ms: Ms;
  json: string;
}
type Value<S extends Store> = S extends { readonly nullable: true } ? Stored[S['type']] | null : Stored[S['type']];
type ColumnsOf<S extends Readonly<Record<string, Store>>> = {
  [
    K in keyof S & string as S[K] extends { readonly derived: true }
      ? never
      : S[K] extends { readonly column: infer C extends string }
        ? C
        : K
  ]: Value<S[K]>;
};
type Areas = typeof RESOURCES;
/** The tables of the admin areas, from their definitions (shared/resources): each has an id and its times besides. */
type AreaTables = {
  [A in AreaName as Areas[A]['table']]: { id: string; created_ms: Ms; updated_ms: Ms } & ColumnsOf<
    Areas[A]['storage']
  > &
    ColumnsOf<Areas[A]['hidden']>;
};

export interface LedgerTransactions {
  id: string;
  kind: string;
  reference: string;
  subject: string | null;
  actor: string | null;
  reason: string | null;
  reverses: string | null;
  created_ms: Ms;
}
export interface LedgerPostings {
  tx_id: string;
  seq: number;
  source: string;
  destination: string;
  amount: number;
  source_after: number;
  destination_after: number;
  created_ms: Ms;
  kind: string;
}
export interface LedgerBalances {
  account: string;
  balance: number;
  frozen_ms: Ms | null;
}
/** What the last proof found. */
export interface LedgerFaults {
  id: string;
  proof: string;
  account: string | null;
  row_id: string | null;
  stored: number | null;
  expected: number | null;
  first_ms: Ms;
  seen_ms: Ms;
}
export interface LedgerHolds {
  id: string;
  account: string;
  amount: number;
  reference: string;
  state: 'open' | 'captured' | 'released';
  created_ms: Ms;
  closed_ms: Ms | null;
}
export interface LedgerDays {
  day: string;
  account: string;
  kind: string;
  minted: number;
  burnt: number;
  moved: number;
  other: number;
  moves: number;
}
export interface IdempotencyKeys {
  user_id: string;
  key: string;
  input_hash: string;
  answer: string | null;
  created_ms: Ms;
}

export interface Users {
  id: string;
  username: string;
  username_key: string;
  email: string;
  email_key: string;
  password_hash: string;
  first_name: string;
  last_name: string;
  role_id: string;
  locale: string;
  /** IANA name; null: that of the installation. */
  time_zone: string | null;
  status: 'active' | 'banned' | 'deleted';
  ban_reason: string | null;
  banned_until_ms: Ms | null;
  banned_by: string | null;
  banned_ms: Ms | null;
  verified_ms: Ms | null;
  terms_ms: Ms;
  password_version: number;
  /** Last request of a session; 0: none is known. */
  seen_ms: Generated<Ms>;
  /** The second factor is on. */
  factor: Generated<Bit>;
  /** They paid for something with credits at least once. */
  spent: Generated<Bit>;
  created_ms: Ms;
  updated_ms: Ms;
}
/** What staff noted of a user. */
export interface UserNotes {
  id: string;
  user_id: string;
  author_id: string;
  text: string;
  created_ms: Ms;
}
/** What a member of staff put off of what needs a person; `count`: how many there were then. */
export interface AttentionSnoozes {
  user_id: string;
  item: string;
  count: number;
  until_ms: Ms;
}
/** What staff were notified of; `ended_ms`: since when there is nothing of it. */
export interface AttentionReports {
  item: string;
  reported_ms: Ms;
  ended_ms: Ms | null;
}
/** The parts of the overview that a member of staff chose, as JSON. */
export interface OverviewLayouts {
  user_id: string;
  layout: string;
}
/** The number by which support finds a user. */
export interface SupportPins {
  user_id: string;
  pin: string;
  created_ms: Ms;
  expires_ms: Ms;
}
export interface UserLimits {
  user_id: string;
  memory: number;
  disk: number;
  cpu: number;
  slots: number;
  ports: number;
  databases: number;
  backups: number;
}
export interface Sessions {
  id: string;
  user_id: string;
  token_hash: string;
  device: string;
  user_agent: string;
  address: string;
  created_ms: Ms;
  seen_ms: Ms;
  expires_ms: Ms;
  second_factor_ms: Ms | null;
  /** When whoever sits at it last confirmed who they are. */
  confirmed_ms: Ms | null;
  /** As whom its user views, and until when; both or none. */
  viewed_user_id: string | null;
  viewing_until_ms: Ms | null;
  /** Hash of the device token, and the network, that commands have to come from where nobody is trusted. */
  bound_device: string | null;
  bound_network: string | null;
}
/** Devices a user has logged in from: a new one gets a mail. */
export interface KnownDevices {
  user_id: string;
  device_key: string;
  first_ms: Ms;
  last_ms: Ms;
  factor_ms: Ms | null;
}
export interface OneTimeTokens {
  id: string;
  kind: 'setup' | 'verify' | 'reset';
  user_id: string | null;
  token_hash: string;
  created_ms: Ms;
  expires_ms: Ms;
  used_ms: Ms | null;
  bound_to: string | null;
}
/** Accounts that wait for the link in their e-mail. */
export interface PendingAccounts {
  username_key: string;
  username: string;
  email: string;
  email_key: string;
  password_hash: string;
  first_name: string;
  last_name: string;
  locale: string;
  referral: string;
  address: string;
  device_key: string;
  token_hash: string;
  sso_registration: Generated<string>;
  created_ms: Ms;
  expires_ms: Ms;
}
export interface EmailChanges {
  id: string;
  user_id: string;
  old_email: string;
  old_email_key: string;
  new_email: string;
  password_version: number;
  confirm_hash: string;
  undo_hash: string | null;
  created_ms: Ms;
  done_ms: Ms | null;
  expires_ms: Ms;
}
/** Commands on all users who fit a filter. */
export interface UserBulkRuns {
  id: string;
  kind: 'setRole' | 'confirm' | 'write';
  state: 'running' | 'done' | 'cancelled' | 'stopped';
  started_by: string;
  /** Filter and input as JSON; emptied at the end. */
  question: string;
  input: string;
  total: number;
  done: number;
  refused: number;
  /** Cursor of the user it came to last, as JSON. */
  position: string | null;
  created_ms: Ms;
  finished_ms: Ms | null;
}
export interface DataExports {
  user_id: string;
  id: string;
  state: 'working' | 'ready' | 'failed';
  requested_ms: Ms;
  expires_ms: Ms | null;
  size: number | null;
  /** The archive, base64. */
  body: string | null;
}
export interface AccountDeletions {
  user_id: string;
  requested_ms: Ms;
  due_ms: Ms;
  /** The row of the user goes as well, where no records need it. */
  whole: Generated<Bit>;
}
export interface SsoAttempts {
  state_hash: string;
  provider_id: string;
  purpose: string;
  binding: string;
  secrets: string;
  expires_ms: Ms;
}
export interface SsoRegistrations {
  id: string;
  device_key: string | null;
  provider_id: string;
  person: string;
  expires_ms: Ms;
}
export interface Attempts {
  key: string;
  window_start_ms: Ms;
  count: number;
}
export interface SecondFactors {
  user_id: string;
  secret: string | null;
  enabled_ms: Ms | null;
  last_step: number;
  pending: string | null;
  pending_ms: Ms | null;
  pending_session: string | null;
}
export interface Passkeys {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  /** Words with a space between. */
  transports: string;
  multi_device: number;
  backed_up: number;
  name: string;
  created_ms: Ms;
  used_ms: Ms | null;
  copied_ms: Ms | null;
}
export interface ApiTokens {
  id: string;
  user_id: string;
  name: string;
  token_hash: string;
  tail: string;
  scopes: string;
  addresses: string;
  created_ms: Ms;
  expires_ms: Ms | null;
  used_ms: Ms | null;
  used_address: string | null;
}
export interface RecoveryCodes {
  user_id: string;
  code_hash: string;
  used_ms: Ms | null;
}
export interface Roles {
  id: string;
  key: string | null;
  name: string;
  color: string;
  rank: number;
  is_default: Bit;
  created_ms: Ms;
  updated_ms: Ms;
}
export interface RolePermissions {
  role_id: string;
  permission: string;
}
export interface DeletedRoleKeys {
  key: string;
  deleted_ms: Ms;
}
export interface Pictures {
  id: string;
  kind: string;
  created_ms: Ms;
}
export interface PictureForms {
  picture_id: string;
  name: string;
  type: string;
  width: number;
  height: number;
  bytes: string;
}
export interface UserSkins {
  user_id: string;
  png: string;
  sha256: string;
  updated_ms: Ms;
}
export interface Settings {
  key: string;
  value: string;
  updated_ms: Ms;
  /** How often it was stored. */
  revision: Generated<number>;
}
export interface Audit {
  id: string;
  at_ms: Ms;
  actor_id: string | null;
  action: string;
  target: string | null;
  before: string | null;
  after: string | null;
  address: string | null;
  device: string | null;
  request_id: string | null;
}

export interface Jobs {
  id: string;
  kind: string;
  payload: string;
  unique_key: string | null;
  run_at_ms: Ms;
  attempts: number;
  max_attempts: number;
  lease_until_ms: Ms;
  lease_token: string | null;
  /** Asked for again while it ran: it runs once more when it ends. */
  rerun: Bit;
  state: 'ready' | 'done' | 'dead';
  last_error: string | null;
  created_ms: Ms;
  done_ms: Ms | null;
  priority: number;
  /** Whose it is; null for a job that stands in no line. */
  group_key: string | null;
  /** What it loads. */
  limit_key: string | null;
  /** What it needs besides. */
  place_key: string | null;
  /** When it left the line. */
  begun_ms: Ms | null;
}
export interface Schedules {
  name: string;
  next_ms: Ms;
  last_ms: Ms | null;
  last_error: string | null;
  took_ms: Ms | null;
  /** The outcomes of the last ten runs, a letter each. */
  recent: string;
}
/** What a check said, for the history of a day. */
export interface HealthSamples {
  at_ms: Ms;
  check_key: string;
  subject: string;
  status_rank: number;
  figure: number | null;
}
/** Steps of the set-up guide that somebody completed or left out. */
export interface SetupSteps {
  step: string;
  state: string;
  evidence: string;
  at_ms: Ms;
}
/** What is known of the feed of releases: one row. */
export interface UpdateFeed {
  id: number;
  public_key: string;
  checked_ms: Ms;
  outcome: string;
  /** The edition that is kept; 0: none. */
  sequence: number;
  content: string | null;
}
/** One row, shared by all processes. */
export interface UptimeBeats {
  id: string;
  beat_ms: Ms;
}
export interface Downtimes {
  from_ms: Ms;
  until_ms: Ms;
}
export interface ServerDebts {
  server_id: string;
  user_id: string;
  name: string;
  owed: number;
  ended_ms: Ms;
  until_ms: Ms;
  state: 'open' | 'taken' | 'closed';
  taken_by: string | null;
  hold_id: string | null;
  created_ms: Ms;
}
export interface Mails {
  id: string;
  user_id: string | null;
  address: string;
  template: string;
  locale: string;
  subject: string;
  text: string;
  html: string;
  state: 'queued' | 'sending' | 'sent' | 'unknown' | 'failed' | 'cancelled' | 'kept';
  attempts: number;
  last_error: string | null;
  message_id: string;
  unique_key: string | null;
  created_ms: Ms;
  sent_ms: Ms | null;
  tried_ms: Ms | null;
  reply_code: number | null;
  bounced: Bit;
}
/** A mail that a host writes itself. `contents`: JSON by language. */
export interface OwnMails {
  id: string;
  name: string;
  kind: 'news' | 'offers';
  link: string;
  contents: string;
  revision: number;
  created_ms: Ms;
  updated_ms: Ms;
  updated_by: string | null;
}
/** One of them on its way to many users. `audience`: JSON. */
export interface MailCampaigns {
  id: string;
  mail_id: string;
  name: string;
  kind: 'news' | 'offers';
  link: string;
  contents: string;
  audience: string;
  state: 'sending' | 'done' | 'cancelled';
  last_user_id: string;
  total: number;
  written: number;
  created_ms: Ms;
  created_by: string | null;
  ended_ms: Ms | null;
}
/** Users who want no mails of a kind. */
export interface MailOptOuts {
  user_id: string;
  kind: 'news' | 'offers';
  created_ms: Ms;
}
/** A mail of the product as the host writes it, in one language. `blocks`: JSON. */
export interface MailTexts {
  template: string;
  locale: string;
  subject: string;
  blocks: string;
  revision: number;
  updated_ms: Ms;
  updated_by: string | null;
}
export interface Notifications {
  id: string;
  user_id: string;
  kind: string;
  data: string;
  unique_key: string | null;
  created_ms: Ms;
  read_ms: Ms | null;
}

export interface RedeemUses {
  id: string;
  code_id: string;
  user_id: string;
  code: string;
  credits: number;
  tx_id: string;
  at_ms: Ms;
}
export interface AfkSessions {
  id: string;
  user_id: string;
  session_id: string;
  device: string;
  started_ms: Ms;
  last_beat_ms: Ms;
  counted_ms: number;
  minutes: number;
  earned: number;
  challenge: string | null;
  challenge_ms: Ms | null;
  ended_ms: Ms | null;
  end_reason: string | null;
  taken_by: string | null;
}
/** Credits earned by a user from a source on a day; user_id '*' is the whole installation. */
export interface EarnCounters {
  user_id: string;
  source: string;
  day: string;
  credits: number;
}
export interface ReferralCodes {
  user_id: string;
  code: string;
  created_ms: Ms;
}
type ReferralPart = 'open' | 'paid' | 'held' | 'refused' | 'none';
/** Who came by whom; the newcomer's and the referrer's reward apart (behaviour 4.4). */
export interface Referrals {
  newcomer_id: string;
  referrer_id: string;
  code: string;
  state: 'pending' | 'qualified' | 'done' | 'rejected';
  reason: string | null;
  network: string | null;
  created_ms: Ms;
  next_check_ms: Ms;
  qualified_ms: Ms | null;
  closed_ms: Ms | null;
  newcomer_state: ReferralPart;
  newcomer_credits: number;
  newcomer_tx: string | null;
  referrer_state: ReferralPart;
  referrer_credits: number;
  referrer_tx: string | null;
  referrer_ms: Ms | null;
}
export interface EarlySupporters {
  user_id: string;
  state: 'pending' | 'qualified' | 'paid' | 'held' | 'refused';
  reason: string | null;
  credits: number;
  tx_id: string | null;
  created_ms: Ms;
  next_check_ms: Ms;
  qualified_ms: Ms | null;
}
interface EarlySupporterPlaces {
  id: number;
  taken: number;
  walked_id: string;
}
export interface LinkClaims {
  id: string;
  user_id: string;
  provider: string;
  token_hash: string;
  token_sealed: string | null;
  link_sealed: string | null;
  credits: number;
  state: 'open' | 'paid' | 'held' | 'expired' | 'rejected';
  session_id: string;
  network: string | null;
  started_ms: Ms;
  ready_ms: Ms;
  expires_ms: Ms;
  checking_ms: Ms | null;
  answer: string | null;
  tx_id: string | null;
  closed_ms: Ms | null;
}
export interface LinkProofs {
  provider: string;
  proof_hash: string;
  claim_id: string;
  at_ms: Ms;
}
export interface LinkedIdentities {
  id: string;
  user_id: string;
  provider: string;
  subject: string;
  name: string;
  scopes: string;
  tokens: string | null;
  version: number;
  refreshing_until_ms: Ms;
  linked_ms: Ms;
  updated_ms: Ms;
}
/** Who was ever linked to an identity. */
export interface IdentityHistory {
  provider: string;
  subject: string;
  user_id: string;
  first_ms: Ms;
  last_ms: Ms;
}
export interface LinkAttempts {
  state_hash: string;
  provider: string;
  user_id: string;
  session_id: string;
  verifier: string;
  expires_ms: Ms;
}
/** Which Discord identity was paid for which Discord server, for good. */
export interface J4rClaims {
  id: string;
  guild_id: string;
  subject: string;
  server_id: string;
  user_id: string;
  name: string;
  credits: number;
  reference: string;
  tx_id: string;
  state: string;
  held: Bit;
  joined_ms: Ms;
  evidence: string;
  claimed_ms: Ms;
  vests_ms: Ms;
  check_ms: Ms | null;
  unlinked_ms: Ms | null;
  ended_ms: Ms | null;
  taken: number;
  taken_tx_id: string | null;
}
export interface StorePurchases {
  id: string;
  user_id: string;
  item_id: string;
  kind: string;
  units: number;
  quantity: number;
  price_each: number;
  total: number;
  tx_id: string;
  created_ms: Ms;
  refunded_ms: Ms | null;
  refund_tx_id: string | null;
}

/** Gifts, and what a user sent and received a day (behaviour 5.4). */
export interface Gifts {
  id: string;
  sender_id: string;
  recipient_id: string;
  amount: number;
  fee: number;
  note: string;
  tx_id: string;
  created_ms: Ms;
}
export interface GiftDays {
  user_id: string;
  side: 'sent' | 'received';
  day: string;
  credits: number;
}
/** What a user shows of themselves; without a row the defaults hold (behaviour 7.2). */
export interface UserPrivacy {
  user_id: string;
  leaderboard: Bit;
  profile: Bit;
  fields: string;
  avatar: string;
  background: string;
  badge: string;
  updated_ms: Ms;
}
/**
 * The leaderboard (behaviour 7.1): scores, how many there are under each node of a tree, users to count anew, how far
 * things are counted.
 */
export interface LeaderboardScores {
  board: string;
  user_id: string;
  score: number;
  listed: Bit;
  linked: Bit;
}
export interface LeaderboardCounts {
  board: string;
  level: number;
  node: number;
  players: number;
}
export interface LeaderboardMarks {
  user_id: string;
}
export interface LeaderboardState {
  id: number;
  tx_id: string;
  seq: number;
  sweep: string;
  swept_ms: Ms | null;
}

export interface Servers {
  id: string;
  user_id: string;
  name: string;
  description: string;
  location_id: string;
  category_id: string;
  egg_id: string;
  memory: number;
  disk: number;
  cpu: number;
  ports: number;
  databases: number;
  backups: number;
  variables: string;
  /** What we want (`running`, `suspended`, `deleted`) and what the panel last reported are kept apart (behaviour 6.3). */
  state: string;
  desired: string;
  suspend_reason: string | null;
  failure: string | null;
  panel_id: string | null;
  panel_state: string | null;
  panel_seen_ms: Ms | null;
  address: string | null;
  /** Rises with each change of limits or name, so that a late panel job does not undo a newer one. */
  revision: number;
  synced_revision: number;
  expires_ms: Ms | null;
  auto_renew: Bit;
  auto_renew_order: number;
  periods: number;
  /** Null: the embedded panel. */
  panel: string | null;
  panel_node: string | null;
  panel_identifier: string | null;
  adopted_ms: Ms | null;
  startup_revision: number;
  reinstall_ms: Ms | null;
  /** Why staff suspended it; meant only while suspend_reason is `admin`. */
  suspend_note: string | null;
  created_ms: Ms;
  updated_ms: Ms;
  deleted_ms: Ms | null;
}
export interface ServerQueue {
  id: string;
  server_id: string;
  user_id: string;
  state: string;
  priority: number;
  attempts: number;
  last_error: string | null;
  created_ms: Ms;
  started_ms: Ms | null;
  done_ms: Ms | null;
  /** Since when it waits for a panel that is away. */
  waiting_since_ms: Ms | null;
}
export interface PanelOutages {
  panel: string;
  node: string;
  cause: string;
  reason: string | null;
  since_ms: Ms;
  next_ms: Ms;
  tries: number;
  notified_ms: Ms | null;
}
export interface ServerQueueLog {
  id: string;
  queue_id: string;
  server_id: string;
  at_ms: Ms;
  code: string;
  detail: string | null;
}
export interface ServerEvents {
  id: string;
  server_id: string;
  user_id: string;
  at_ms: Ms;
  code: string;
  detail: string | null;
}
/** What was sent once per server and period: reminders, warnings. */
export interface ServerReminders {
  server_id: string;
  period_ms: Ms;
  kind: string;
  at_ms: Ms;
}

/** The embedded panel's own tables (behaviour 6.7). */
export interface EmbeddedUsers {
  id: number | Generated<number>;
  external_id: string;
  username: string;
  email: string;
  created_ms: Ms;
}
export interface EmbeddedNodes {
  id: number | Generated<number>;
  location_id: string;
  name: string;
  fqdn: string;
  memory: number;
  disk: number;
  maintenance: Bit;
  created_ms: Ms;
}
export interface EmbeddedAllocations {
  id: number | Generated<number>;
  node_id: number;
  port: number;
  server_id: number | null;
}
export interface EmbeddedServers {
  id: number | Generated<number>;
  external_id: string;
  uuid: string;
  user_id: number;
  node_id: number;
  name: string;
  description: string;
  egg: string;
  memory: number;
  disk: number;
  cpu: number;
  databases: number;
  allocations: number;
  backups: number;
  environment: string;
  suspended: Bit;
  install_ms: Ms;
  installed_ms: Ms;
  fails: Bit;
  created_ms: Ms;
  updated_ms: Ms;
}
/** Abuse (behaviour 4.6): `value` is a keyed hash. */
export interface AbuseSignals {
  user_id: string;
  kind: string;
  value: string;
  first_ms: Ms;
  last_ms: Ms;
}
export interface HeldRewards {
  id: string;
  user_id: string;
  source: string;
  amount: number;
  parts: number;
  reference: string;
  subject: string | null;
  pool: string | null;
  cause: string;
  score: number;
  reasons: string;
  tx_id: string;
  hold_id: string;
  state: string;
  release_ms: Ms | null;
  created_ms: Ms;
  updated_ms: Ms;
  decided_ms: Ms | null;
  decided_by: string | null;
  note: string | null;
  note_ms: Ms | null;
  counted_day: string | null;
  counted: number;
}
export interface NetworkLists {
  name: string;
  body: string;
  ranges: number;
  updated_ms: Ms;
}
export interface NetworkVerdicts {
  value: string;
  verdict: string;
  until_ms: Ms;
}
export interface UsedChallenges {
  id: string;
  until_ms: Ms;
}
/** Money for credits (behaviour 5.3). Money in minor units. */
export interface PaymentOrders {
  id: string;
  user_id: string;
  provider: 'stripe' | 'paypal' | 'manual';
  state: OrderState;
  package_id: string | null;
  label: string | null;
  currency: string;
  amount: number;
  tax: number;
  tax_rate: number;
  credits: number;
  bonus: number;
  rate: number | null;
  locale: string;
  ref: string | null;
  payment_ref: string | null;
  pay_url: string | null;
  failure: string | null;
  credited_tx: string | null;
  taken_back: number;
  moves: number;
  refunded: number;
  revision: number;
  checks: number;
  next_check_ms: Ms | null;
  created_ms: Ms;
  updated_ms: Ms;
  expires_ms: Ms | null;
  paid_ms: Ms | null;
  code: string | null;
}
export interface PaymentEvents {
  id: string;
  provider: 'stripe' | 'paypal' | 'manual';
  event_id: string;
  type: string;
  order_id: string | null;
  outcome: 'received' | 'applied' | 'ignored' | 'waiting' | 'unknown' | 'mismatch';
  reason: string | null;
  content: string;
  payload: string;
  received_ms: Ms;
}
export interface PaymentDisputes {
  provider: 'stripe' | 'paypal' | 'manual';
  dispute_id: string;
  payment_ref: string;
  amount: number;
  currency: string;
  state: 'inquiry' | 'open' | 'taken' | 'lost' | 'won';
  updated_ms: Ms;
}
export interface PaymentRefunds {
  id: string;
  order_id: string;
  amount: number;
  state: 'requested' | 'done' | 'failed';
  reason: string;
  actor_id: string | null;
  failure: string | null;
  ref: string | null;
  created_ms: Ms;
  done_ms: Ms | null;
}
export interface PaymentSequences {
  name: string;
  last: number;
}
export interface PaymentReceipts {
  order_id: string;
  number: number;
  label: string;
  facts: string;
  issued_ms: Ms;
}
/** Which key for secrets at rest belongs to this database. */
export interface Installation {
  id: number;
  key_name: string;
}
export interface SchemaMigrations {
  name: string;
  applied_ms: Ms;
}

/** Game panels over HTTP (behaviour 6.7). */
export interface Panels {
  id: string;
  name: string;
  dialect: string;
  url: string;
  public_url: string | null;
  key_sealed: string;
  client_key_sealed: string | null;
  enabled: Bit;
  checked: string | null;
  checked_ms: Ms | null;
  synced: string | null;
  synced_ms: Ms | null;
  sync_asked_ms: Ms | null;
  created_ms: Ms;
  updated_ms: Ms;
}
export interface PanelOffers {
  panel_id: string;
  kind: string;
  ref: string;
  name: string;
  parent: string | null;
  body: string;
  hash: string;
  taken_hash: string | null;
  taken: string | null;
  first_ms: Ms;
  seen_ms: Ms;
  vanished_ms: Ms | null;
}
export interface NodeCapacity {
  panel_id: string;
  node: string;
  name: string;
  fqdn: string;
  location: string | null;
  tags: string;
  public: Bit;
  maintenance: Bit;
  memory: number;
  disk: number;
  memory_overallocate: number;
  disk_overallocate: number;
  memory_used: number;
  disk_used: number;
  seen_ms: Ms;
  vanished_ms: Ms | null;
}
export interface NodeAllocations {
  panel_id: string;
  node: string;
  allocation: string;
  ip: string;
  alias: string | null;
  port: number;
  assigned: Bit;
  server_id: string | null;
  is_default: Bit;
  seen_ms: Ms;
  vanished_ms: Ms | null;
}
export interface CapacityReservations {
  server_id: string;
  panel_id: string;
  node: string;
  memory: number;
  disk: number;
  confirmed_ms: Ms | null;
  until_ms: Ms;
  created_ms: Ms;
}
export interface EggBindings {
  egg_id: string;
  panel_id: string;
  panel_egg: string;
  created_ms: Ms;
}
export interface PanelAccounts {
  panel_id: string;
  user_id: string;
  account: string;
  synced: string;
  at_ms: Ms;
}
export interface PanelAccountCodes {
  panel_id: string;
  user_id: string;
  account: string;
  email: string;
  code_hash: string;
  tries: number;
  expires_ms: Ms;
}
export interface PanelDrift {
  panel: string;
  kind: string;
  ref: string;
  server_id: string | null;
  name: string;
  detail: string;
  first_ms: Ms;
  seen_ms: Ms;
}
export interface WaitingList {
  id: string;
  user_id: string;
  location_id: string;
  egg_id: string;
  memory: number;
  disk: number;
  ports: number;
  created_ms: Ms;
  notified_ms: Ms | null;
}

export interface DB extends AreaTables {
  schema_migrations: SchemaMigrations;
  installation: Installation;
  ledger_transactions: LedgerTransactions;
  ledger_postings: LedgerPostings;
  ledger_balances: LedgerBalances;
  ledger_holds: LedgerHolds;
  ledger_faults: LedgerFaults;
  ledger_days: LedgerDays;
  idempotency_keys: IdempotencyKeys;
  users: Users;
  user_limits: UserLimits;
  user_notes: UserNotes;
  support_pins: SupportPins;
  attention_snoozes: AttentionSnoozes;
  attention_reports: AttentionReports;
  overview_layouts: OverviewLayouts;
  user_skins: UserSkins;
  pictures: Pictures;
  picture_forms: PictureForms;
  sessions: Sessions;
  known_devices: KnownDevices;
  one_time_tokens: OneTimeTokens;
  attempts: Attempts;
  second_factors: SecondFactors;
  recovery_codes: RecoveryCodes;
  passkeys: Passkeys;
  api_tokens: ApiTokens;
  pending_accounts: PendingAccounts;
  email_changes: EmailChanges;
  account_deletions: AccountDeletions;
  data_exports: DataExports;
  user_bulk_runs: UserBulkRuns;
  roles: Roles;
  deleted_role_keys: DeletedRoleKeys;
  role_permissions: RolePermissions;
  settings: Settings;
  setup_steps: SetupSteps;
  update_feed: UpdateFeed;
  audit: Audit;
  jobs: Jobs;
  schedules: Schedules;
  health_samples: HealthSamples;
  uptime: UptimeBeats;
  downtimes: Downtimes;
  server_debts: ServerDebts;
  mails: Mails;
  mail_texts: MailTexts;
  own_mails: OwnMails;
  mail_campaigns: MailCampaigns;
  mail_opt_outs: MailOptOuts;
  notifications: Notifications;
  redeem_uses: RedeemUses;
  afk_sessions: AfkSessions;
  earn_counters: EarnCounters;
  referral_codes: ReferralCodes;
  referrals: Referrals;
  early_supporters: EarlySupporters;
  early_supporter_places: EarlySupporterPlaces;
  link_claims: LinkClaims;
  link_proofs: LinkProofs;
  gifts: Gifts;
  gift_days: GiftDays;
  user_privacy: UserPrivacy;
  leaderboard_scores: LeaderboardScores;
  leaderboard_counts: LeaderboardCounts;
  leaderboard_marks: LeaderboardMarks;
  leaderboard_state: LeaderboardState;
  linked_identities: LinkedIdentities;
  sso_attempts: SsoAttempts;
  sso_registrations: SsoRegistrations;
  identity_history: IdentityHistory;
  link_attempts: LinkAttempts;
  j4r_claims: J4rClaims;
  store_purchases: StorePurchases;
  servers: Servers;
  panel_outages: PanelOutages;
  server_queue: ServerQueue;
  server_queue_log: ServerQueueLog;
  server_events: ServerEvents;
  server_reminders: ServerReminders;
  abuse_signals: AbuseSignals;
  held_rewards: HeldRewards;
  network_lists: NetworkLists;
  network_verdicts: NetworkVerdicts;
  used_challenges: UsedChallenges;
  payment_orders: PaymentOrders;
  payment_events: PaymentEvents;
  payment_disputes: PaymentDisputes;
  payment_refunds: PaymentRefunds;
  payment_sequences: PaymentSequences;
  payment_receipts: PaymentReceipts;
  embedded_users: EmbeddedUsers;
  embedded_nodes: EmbeddedNodes;
  embedded_allocations: EmbeddedAllocations;
  embedded_servers: EmbeddedServers;
  panels: Panels;
  panel_offers: PanelOffers;
  node_capacity: NodeCapacity;
  node_allocations: NodeAllocations;
  capacity_reservations: CapacityReservations;
  egg_bindings: EggBindings;
  panel_accounts: PanelAccounts;
  panel_account_codes: PanelAccountCodes;
  panel_drift: PanelDrift;
  waiting_list: WaitingList;
}

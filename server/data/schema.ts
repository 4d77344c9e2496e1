import type { Generated } from 'kysely';

/**
 * Every table, as Kysely sees it. Portable subset: TEXT ids, INTEGER (PostgreSQL: bigint) for times in UTC ms, credits and counts,
 * 0/1 for booleans, JSON as TEXT. Column names are snake_case; times end in _ms.
 */
type Bit = 0 | 1;
type Ms = number;

export interface LedgerTransactions { id: string; kind: string; reference: string; subject: string | null; actor: string | null; reason: string | null; reverses: string | null; created_ms: Ms }
export interface LedgerPostings { tx_id: string; seq: number; source: string; destination: string; amount: number; source_after: number; destination_after: number; created_ms: Ms; kind: string }
export interface LedgerBalances { account: string; balance: number }
export interface LedgerHolds { id: string; account: string; amount: number; reference: string; state: 'open' | 'captured' | 'released'; created_ms: Ms; closed_ms: Ms | null }
export interface IdempotencyKeys { user_id: string; key: string; input_hash: string; answer: string | null; created_ms: Ms }

export interface Users {
  id: string; username: string; username_key: string; email: string; email_key: string; password_hash: string;
  first_name: string; last_name: string; role_id: string; locale: string; status: 'active' | 'banned' | 'deleted';
  ban_reason: string | null; banned_until_ms: Ms | null; verified_ms: Ms | null; terms_ms: Ms; password_version: number; created_ms: Ms; updated_ms: Ms;
}
export interface UserLimits { user_id: string; memory: number; disk: number; cpu: number; slots: number; ports: number; databases: number; backups: number }
export interface Sessions {
  id: string; user_id: string; token_hash: string; device: string; user_agent: string; address: string;
  created_ms: Ms; seen_ms: Ms; expires_ms: Ms; second_factor_ms: Ms | null;
}
/** Devices a user has logged in from: a new one gets a mail. */
export interface KnownDevices { user_id: string; device_key: string; first_ms: Ms; last_ms: Ms }
export interface OneTimeTokens { id: string; kind: 'setup' | 'verify' | 'reset'; user_id: string | null; token_hash: string; created_ms: Ms; expires_ms: Ms; used_ms: Ms | null; bound_to: string | null }
export interface Attempts { key: string; window_start_ms: Ms; count: number }
export interface SecondFactors { user_id: string; secret: string | null; enabled_ms: Ms | null; last_step: number; pending: string | null; pending_ms: Ms | null }
export interface RecoveryCodes { user_id: string; code_hash: string; used_ms: Ms | null }
export interface Roles { id: string; key: string | null; name: string; color: string; rank: number; is_default: Bit; created_ms: Ms; updated_ms: Ms }
export interface RolePermissions { role_id: string; permission: string }
export interface UserSkins { user_id: string; png: string; sha256: string; updated_ms: Ms }
export interface Settings { key: string; value: string; updated_ms: Ms }
export interface Audit { id: string; at_ms: Ms; actor_id: string | null; action: string; target: string | null; before: string | null; after: string | null; address: string | null; request_id: string | null }

export interface Jobs {
  id: string; kind: string; payload: string; unique_key: string | null; run_at_ms: Ms; attempts: number; max_attempts: number;
  lease_until_ms: Ms; lease_token: string | null;
  /** Asked for again while it ran: it runs once more when it ends. */
  rerun: Bit; state: 'ready' | 'done' | 'dead'; last_error: string | null; created_ms: Ms; done_ms: Ms | null;
}
export interface Schedules { name: string; next_ms: Ms; last_ms: Ms | null; last_error: string | null }
export interface Mails {
  id: string; user_id: string | null; address: string; template: string; locale: string; subject: string; text: string; html: string;
  state: 'queued' | 'sent' | 'failed' | 'kept'; attempts: number; last_error: string | null; message_id: string; unique_key: string | null; created_ms: Ms; sent_ms: Ms | null;
}
export interface Notifications { id: string; user_id: string; kind: string; data: string; unique_key: string | null; created_ms: Ms; read_ms: Ms | null }

export interface Locations {
  id: string; name: string; description: string; code: string; address: string; slots: number; online: Bit; vip_only: Bit; position: number; created_ms: Ms; updated_ms: Ms;
}
export interface EggCategories { id: string; name: string; description: string; enabled: Bit; position: number; created_ms: Ms; updated_ms: Ms }
export interface Eggs {
  id: string; category_id: string; name: string; description: string; docker_image: string; startup: string; shape: string; hue: number;
  min_memory: number; min_disk: number; min_cpu: number; enabled: Bit; vip_only: Bit; variables: string; position: number; created_ms: Ms; updated_ms: Ms;
}
export interface RedeemCodes {
  id: string; code: string; code_key: string; note: string; credits: number; uses_total: number; uses_count: number; min_age_days: number;
  starts_ms: Ms | null; ends_ms: Ms | null; enabled: Bit; created_by: string | null; created_ms: Ms; updated_ms: Ms;
}
export interface RedeemUses { id: string; code_id: string; user_id: string; code: string; credits: number; tx_id: string; at_ms: Ms }
export interface AfkSessions {
  id: string; user_id: string; session_id: string; device: string; started_ms: Ms; last_beat_ms: Ms; counted_ms: number; minutes: number; earned: number;
  challenge: string | null; challenge_ms: Ms | null; ended_ms: Ms | null; end_reason: string | null; taken_by: string | null;
}
/** Credits earned by a user from a source on a day; user_id '*' is the whole installation. */
export interface EarnCounters { user_id: string; source: string; day: string; credits: number }
export interface StoreItems {
  id: string; kind: string; quantity: number; price: number; limit_total: number; position: number; visible: Bit; vip_only: Bit; created_ms: Ms; updated_ms: Ms;
}
export interface StorePurchases {
  id: string; user_id: string; item_id: string; kind: string; units: number; quantity: number; price_each: number; total: number; tx_id: string; created_ms: Ms; refunded_ms: Ms | null; refund_tx_id: string | null;
}

export interface Servers {
  id: string; user_id: string; name: string; description: string; location_id: string; category_id: string; egg_id: string;
  memory: number; disk: number; cpu: number; ports: number; databases: number; backups: number; variables: string;
  /** What we want (`running`, `suspended`, `deleted`) and what the panel last reported are kept apart (behaviour 6.3). */
  state: string; desired: string; suspend_reason: string | null; failure: string | null;
  panel_id: string | null; panel_state: string | null; panel_seen_ms: Ms | null; address: string | null;
  /** Rises with each change of limits or name, so that a late panel job does not undo a newer one. */
  revision: number; synced_revision: number;
  expires_ms: Ms | null; auto_renew: Bit; auto_renew_order: number; periods: number;
  created_ms: Ms; updated_ms: Ms; deleted_ms: Ms | null;
}
export interface ServerQueue {
  id: string; server_id: string; user_id: string; state: string; priority: number; attempts: number; run_at_ms: Ms; lease_until_ms: Ms; lease_token: string | null;
  last_error: string | null; created_ms: Ms; started_ms: Ms | null; done_ms: Ms | null;
}
export interface ServerQueueLog { id: string; queue_id: string; server_id: string; at_ms: Ms; code: string; detail: string | null }
export interface ServerEvents { id: string; server_id: string; user_id: string; at_ms: Ms; code: string; detail: string | null }
/** What was sent once per server and period: reminders, warnings. */
export interface ServerNotices { server_id: string; period_ms: Ms; kind: string; at_ms: Ms }

/** The embedded panel's own tables (behaviour 6.7). */
export interface PanelUsers { id: number | Generated<number>; external_id: string; username: string; email: string; created_ms: Ms }
export interface PanelNodes { id: number | Generated<number>; location_id: string; name: string; fqdn: string; memory: number; disk: number; maintenance: Bit; created_ms: Ms }
export interface PanelAllocations { id: number | Generated<number>; node_id: number; port: number; server_id: number | null }
export interface PanelServers {
  id: number | Generated<number>; external_id: string; uuid: string; user_id: number; node_id: number; name: string; description: string; egg: string; memory: number; disk: number; cpu: number;
  databases: number; allocations: number; backups: number; environment: string; suspended: Bit; install_ms: Ms; installed_ms: Ms; fails: Bit; created_ms: Ms; updated_ms: Ms;
}
export interface SchemaMigrations { name: string; applied_ms: Ms }

export interface DB {
  schema_migrations: SchemaMigrations;
  ledger_transactions: LedgerTransactions; ledger_postings: LedgerPostings; ledger_balances: LedgerBalances; ledger_holds: LedgerHolds; idempotency_keys: IdempotencyKeys;
  users: Users; user_limits: UserLimits; user_skins: UserSkins; sessions: Sessions; known_devices: KnownDevices; one_time_tokens: OneTimeTokens; attempts: Attempts; second_factors: SecondFactors; recovery_codes: RecoveryCodes;
  roles: Roles; role_permissions: RolePermissions; settings: Settings; audit: Audit;
  jobs: Jobs; schedules: Schedules; mails: Mails; notifications: Notifications;
  locations: Locations; egg_categories: EggCategories; eggs: Eggs; redeem_codes: RedeemCodes; redeem_uses: RedeemUses; afk_sessions: AfkSessions; earn_counters: EarnCounters;
  store_items: StoreItems; store_purchases: StorePurchases;
  servers: Servers; server_queue: ServerQueue; server_queue_log: ServerQueueLog; server_events: ServerEvents; server_notices: ServerNotices;
  panel_users: PanelUsers; panel_nodes: PanelNodes; panel_allocations: PanelAllocations; panel_servers: PanelServers;
}

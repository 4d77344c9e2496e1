import type { Generated } from 'kysely';
import type { Bit, Ms } from './values.ts';

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

export interface UserSkins {
  user_id: string;
  png: string;
  sha256: string;
  updated_ms: Ms;
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

export interface UsersTables {
  users: Users;
  user_limits: UserLimits;
  user_notes: UserNotes;
  support_pins: SupportPins;
  user_skins: UserSkins;
  pending_accounts: PendingAccounts;
  email_changes: EmailChanges;
  account_deletions: AccountDeletions;
  data_exports: DataExports;
  user_bulk_runs: UserBulkRuns;
  roles: Roles;
  deleted_role_keys: DeletedRoleKeys;
  role_permissions: RolePermissions;
  user_privacy: UserPrivacy;
}

import type { Ms } from './values.ts';

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

export interface SessionsTables {
  sessions: Sessions;
  known_devices: KnownDevices;
  one_time_tokens: OneTimeTokens;
  attempts: Attempts;
  second_factors: SecondFactors;
  recovery_codes: RecoveryCodes;
  passkeys: Passkeys;
  api_tokens: ApiTokens;
  linked_identities: LinkedIdentities;
  sso_attempts: SsoAttempts;
  sso_registrations: SsoRegistrations;
  identity_history: IdentityHistory;
  link_attempts: LinkAttempts;
}

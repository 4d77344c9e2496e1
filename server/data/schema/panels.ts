import type { Generated } from 'kysely';
import type { Bit, Ms } from './values.ts';

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
  /** How it runs; null: it is imitated. */
  recipe: string | null;
  revision: Generated<number>;
  deleting: Generated<Bit>;
  licence_ms: Ms | null;
  /** JSON: configuration files that are written before each start. */
  config_files: Generated<string>;
  /** JSON: what its container is made of; null: it runs in none. */
  container: Generated<string>;
  /** Null: the lowest one. */
  primary_port: number | null;
  created_ms: Ms;
  updated_ms: Ms;
}

/** Scripts that install servers in containers, by what they are: the text of one never changes. */
export interface InstallScripts {
  id: string;
  script: string;
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

export interface PanelsTables {
  embedded_users: EmbeddedUsers;
  embedded_nodes: EmbeddedNodes;
  embedded_allocations: EmbeddedAllocations;
  embedded_servers: EmbeddedServers;
  install_scripts: InstallScripts;
  panels: Panels;
  panel_offers: PanelOffers;
  egg_bindings: EggBindings;
  panel_accounts: PanelAccounts;
  panel_account_codes: PanelAccountCodes;
  panel_drift: PanelDrift;
}

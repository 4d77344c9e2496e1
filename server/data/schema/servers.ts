import type { Bit, Ms } from './values.ts';

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
  /** The port that its owner chose; null: the panel's first one. */
  primary_port: number | null;
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
  /** Who caused it; null: the system or staff. */
  actor_id: string | null;
  /** One of staff at work on the server. */
  by_staff: Bit;
}

/** Who works on servers of others. */
export interface ServerSubusers {
  server_id: string;
  user_id: string;
  rights: string;
  created_ms: Ms;
  ended_ms: Ms | null;
}

/** What was sent once per server and period: reminders, warnings. */
export interface ServerReminders {
  server_id: string;
  period_ms: Ms;
  kind: string;
  at_ms: Ms;
}

export interface ServerSchedules {
  id: string;
  server_id: string;
  name: string;
  enabled: Bit;
  only_online: Bit;
  /** JSON, as are the steps and the run that is under way. */
  timing: string;
  time_zone: string;
  steps: string;
  next_ms: Ms | null;
  run: string | null;
  last_ms: Ms | null;
  last_outcome: string | null;
  last_step: number | null;
  created_ms: Ms;
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

export interface ServerUsageHours {
  server_id: string;
  hour_ms: Ms;
  measurements: number;
  memory_sum: number;
  memory_max: number;
  cpu_sum: number;
  cpu_max: number;
  disk_sum: number;
  disk_max: number;
  received_sum: number;
  received_max: number;
  sent_sum: number;
  sent_max: number;
}

export interface ServersTables {
  server_debts: ServerDebts;
  servers: Servers;
  panel_outages: PanelOutages;
  server_queue: ServerQueue;
  server_queue_log: ServerQueueLog;
  server_events: ServerEvents;
  server_subusers: ServerSubusers;
  server_reminders: ServerReminders;
  server_schedules: ServerSchedules;
  server_usage_hours: ServerUsageHours;
  node_capacity: NodeCapacity;
  node_allocations: NodeAllocations;
  capacity_reservations: CapacityReservations;
  waiting_list: WaitingList;
}

import type { Generated } from 'kysely';
import type { Bit, Ms } from './values.ts';

export interface IdempotencyKeys {
  user_id: string;
  key: string;
  input_hash: string;
  answer: string | null;
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

export interface Pictures {
  id: string;
  kind: string;
  created_ms: Ms;
  /** What of the library it was drawn of. */
  library_hash: string | null;
}

export interface PictureForms {
  picture_id: string;
  name: string;
  type: string;
  width: number;
  height: number;
  bytes: string;
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
  /** Of the run that is under way: whose it is, and until when nobody else begins one. */
  lease_token: string | null;
  lease_until_ms: Generated<Ms>;
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
export interface RedirectLinkDays {
  link_id: string;
  day: string;
  clicks: number;
}
export interface UptimeBeats {
  id: string;
  beat_ms: Ms;
}

export interface Downtimes {
  from_ms: Ms;
  until_ms: Ms;
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

export interface SystemTables {
  schema_migrations: SchemaMigrations;
  installation: Installation;
  idempotency_keys: IdempotencyKeys;
  attention_snoozes: AttentionSnoozes;
  attention_reports: AttentionReports;
  overview_layouts: OverviewLayouts;
  pictures: Pictures;
  picture_forms: PictureForms;
  settings: Settings;
  setup_steps: SetupSteps;
  update_feed: UpdateFeed;
  audit: Audit;
  jobs: Jobs;
  schedules: Schedules;
  health_samples: HealthSamples;
  redirect_link_days: RedirectLinkDays;
  uptime: UptimeBeats;
  downtimes: Downtimes;
}

/** The two panels the fake can be. Section numbers in comments of this folder are those of the contract of the panel. */
export type Dialect = 'pterodactyl' | 'pelican';

/** What a JSON body is after parsing. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Body = { [key: string]: Json };

interface Times {
  createdMs: number;
  updatedMs: number;
}
export interface UserRow extends Times {
  readonly id: number;
  externalId: string | null;
  readonly uuid: string;
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  language: string;
  rootAdmin: boolean;
  /** Null: none was sent at creation, so the mail that went out has a link to set one (3). */
  password: string | null;
}
export interface LocationRow extends Times {
  readonly id: number;
  short: string;
  long: string;
}
/**
 * The machine's daemon, as the test sets it (5, "daemon trouble"): up; connection refused; answers every call of the
 * panel with a status; cuts the connection when it was asked (`cuts`); or hangs until `release()`, each call of the
 * panel by itself (after a creation that hung comes the clean-up).
 */
export type Daemon = 'up' | 'refused' | 'cuts' | 'hangs' | { readonly status: number };
export interface NodeRow extends Times {
  readonly id: number;
  readonly uuid: string;
  name: string;
  description: string | null;
  public: boolean;
  /** Null with Pelican, which has `tags` instead (8). */
  locationId: number | null;
  tags: string[];
  fqdn: string;
  scheme: string;
  behindProxy: boolean;
  maintenance: boolean;
  /** MiB, and percent above. */
  memory: number;
  memoryOverallocate: number;
  disk: number;
  diskOverallocate: number;
  /** Percent of one core; only Pelican knows it (8). 0: not checked. */
  cpu: number;
  cpuOverallocate: number;
  uploadSize: number;
  daemonListen: number;
  daemonSftp: number;
  daemonBase: string;
  daemon: Daemon;
}
export interface AllocationRow {
  readonly id: number;
  readonly nodeId: number;
  readonly ip: string;
  alias: string | null;
  readonly port: number;
  notes: string | null;
  /** Changed by `state.assign` only. */
  readonly serverId: number | null;
}
export interface NestRow extends Times {
  readonly id: number;
  readonly uuid: string;
  author: string;
  name: string;
  description: string;
}
export interface VariableRow extends Times {
  readonly id: number;
  name: string;
  description: string;
  env: string;
  defaultValue: string;
  viewable: boolean;
  editable: boolean;
  /** A Laravel rule string (4). */
  rules: string;
}
export interface EggRow extends Times {
  readonly id: number;
  readonly uuid: string;
  /** 0 with Pelican, which has no nests (8). */
  nestId: number;
  name: string;
  author: string;
  description: string;
  /** Label to image, in order. */
  dockerImages: Record<string, string>;
  startup: string;
  features: string[] | null;
  tags: string[];
  config: Body;
  script: Body;
  variables: VariableRow[];
}
/** One column: the states replace each other (5). */
export type ServerStatus =
  null | 'installing' | 'install_failed' | 'reinstall_failed' | 'suspended' | 'restoring_backup';
export interface ServerRow extends Times {
  readonly id: number;
  /** Changed by `state.nameServer` only. */
  readonly externalId: string | null;
  readonly uuid: string;
  readonly identifier: string;
  name: string;
  description: string;
  status: ServerStatus;
  ownerId: number;
  readonly nodeId: number;
  /** Null only with Pelican, when a deploy had no port range (8). */
  allocationId: number | null;
  eggId: number;
  startup: string;
  image: string;
  memory: number;
  swap: number;
  disk: number;
  io: number;
  cpu: number;
  threads: string | null;
  oomDisabled: boolean;
  databaseLimit: number | null;
  allocationLimit: number | null;
  backupLimit: number | null;
  skipScripts: boolean;
  /** By id of the variable. */
  variables: Map<number, string>;
  /** It was installed once: an end with failure is then `reinstall_failed` (5). */
  installedOnce: boolean;
  /** When the installation that is going on began; null where none is. */
  installingSinceMs: number | null;
}
/** Rights of an application key: 0 none, 1 read, 2 write, 3 both (1). */
export type Rights = Readonly<Record<string, number>>;
export interface KeyRow {
  readonly token: string;
  readonly kind: 'application' | 'client';
  readonly userId: number;
  rights: Rights | 'all';
  /** Empty: from everywhere. */
  allowedIps: readonly string[];
}
/** What a server uses, as its daemon says (6). */
export interface Usage {
  power: 'offline' | 'starting' | 'running' | 'stopping' | 'missing';
  memory: number;
  cpu: number;
  disk: number;
  uptime: number;
}
export interface PanelCallLog {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly body: Json;
  /** Filled in with the answer; null while there is none, and where none was sent. */
  status: number | null;
}
export interface DaemonCallLog {
  readonly node: number;
  readonly method: string;
  readonly path: string;
  readonly body: Json;
}

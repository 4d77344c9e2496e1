/**
 * The tables of the embedded panel (behaviour 6.7). Only its adapter (server/panel/embedded) may use them: for
 * everybody else it is a panel like any other, reached through `Panel`, outside of transactions.
 */
export interface EmbeddedServer {
  readonly id: number;
  readonly externalId: string;
  readonly uuid: string;
  readonly userId: number;
  readonly nodeId: number;
  readonly fqdn: string;
  readonly name: string;
  readonly description: string;
  readonly egg: string;
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
  readonly databases: number;
  readonly allocations: number;
  readonly backups: number;
  readonly environment: string;
  /** Configuration files that are written before each start, as JSON. */
  readonly configFiles: string;
  /** What its container is made of, as JSON; `null`: it runs in none. Its script is named, and kept apart. */
  readonly container: string;
  readonly suspended: boolean;
  /** When the installation began and when it ends; the state follows from the clock. */
  readonly installMs: number;
  readonly installedMs: number;
  /** The installation ends in failure. */
  readonly fails: boolean;
  /** How it runs on this machine; null: it is imitated. */
  readonly recipe: string | null;
  /** Counts its changes: what it shall be is that of the highest one. */
  readonly revision: number;
  /** When its owner accepted the licence of what it runs; null: not yet. */
  readonly licenceMs: number | null;
  /** Its deletion was ordered, and is not done. */
  readonly deleting: boolean;
  /** Its primary port. */
  readonly port: number | null;
}
type NewEmbeddedServer = Omit<
  EmbeddedServer,
  'id' | 'fqdn' | 'suspended' | 'port' | 'revision' | 'deleting' | 'licenceMs'
>;
export type EmbeddedChange = Partial<
  Pick<
    EmbeddedServer,
    | 'name'
    | 'description'
    | 'memory'
    | 'disk'
    | 'cpu'
    | 'databases'
    | 'allocations'
    | 'backups'
    | 'suspended'
    | 'deleting'
    | 'externalId'
    | 'userId'
    | 'egg'
    | 'environment'
    | 'configFiles'
    | 'container'
    | 'installMs'
    | 'installedMs'
    | 'licenceMs'
  >
> & {
  /** One of its ports that becomes the primary one. */
  readonly primaryPort?: number;
};

/** A server that really runs on this machine, as it was sold. MB, percent of one core. */
interface MachineServer {
  readonly uuid: string;
  readonly externalId: string;
  readonly name: string;
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
  /** How many ports it has, and its primary one. */
  readonly allocations: number;
  readonly port: number | null;
}

export interface EmbeddedPanelRepo {
  userByExternalId(externalId: string): Promise<number | null>;
  /** Adds an account; null where the external id exists. */
  addUser(user: { externalId: string; username: string; email: string; atMs: number }): Promise<number | null>;
  userExists(id: number): Promise<boolean>;
  /** Changes an account's name and address; false where there is none. */
  changeUser(id: number, user: { username: string; email: string }): Promise<boolean>;
  /** The node of a location, made where there is none yet. */
  ensureNode(node: {
    locationId: string;
    name: string;
    fqdn: string;
    memory: number;
    disk: number;
    atMs: number;
  }): Promise<number>;
  /** Adds a server; null where the external id exists. */
  addServer(server: NewEmbeddedServer): Promise<number | null>;
  server(id: number): Promise<EmbeddedServer | null>;
  serverByExternalId(externalId: string): Promise<EmbeddedServer | null>;
  /** By id, `limit` of them after the first `offset`. */
  servers(offset: number, limit: number): Promise<EmbeddedServer[]>;
  /** Every server that really runs on this machine. */
  onMachine(): Promise<MachineServer[]>;
  /** The newest first. */
  newest(limit: number): Promise<EmbeddedServer[]>;
  /** Changes a server and counts its revision up. */
  change(id: number, change: EmbeddedChange, atMs: number): Promise<void>;
  /** Removes a server and frees its ports; false where there is none. */
  remove(id: number): Promise<boolean>;
  /** The text of a script that installs servers in containers; null: nobody kept it. */
  installScript(id: string): Promise<string | null>;
  /** Its ports, the primary first. */
  ports(serverId: number): Promise<number[]>;
  /** Gives the server the lowest free port of the node from `first` up; null where none is left up to 65535. */
  takePort(nodeId: number, serverId: number, first: number): Promise<number | null>;
  /**
   * Gives a server that runs on this machine the lowest port of a range that no other one has, whatever node it stands
   * for; null where none is left.
   */
  takeMachinePort(
    nodeId: number,
    serverId: number,
    range: { readonly first: number; readonly last: number },
  ): Promise<number | null>;
  freePort(nodeId: number, port: number): Promise<void>;
}

import type { Resources } from '#shared/constants.ts';

/**
 * The game panel, as the product sees it (behaviour 6.7). Adapters: the embedded one, Pterodactyl, Pelican; one conformance suite for all.
 * No call ever throws, and none may run inside a database transaction.
 */
export type PanelAnswer<T> =
  | { readonly outcome: 'ok'; readonly value: T }
  /** The panel answered, and it is certain that there is no such thing. Never said of a panel that did not answer. */
  | { readonly outcome: 'not_found' }
  /** The panel understood and said no; the same question will get the same answer. Nothing was changed. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Somebody else was at it at the same time, or it exists already: look it up before anything else. */
  | { readonly outcome: 'conflict' }
  /** The panel did not do it (down, too many requests): certain that nothing was changed. */
  | { readonly outcome: 'unavailable' }
  /** No answer came back: it may have been done, or may still be. */
  | { readonly outcome: 'unknown' };

/** MB, MB, percent of one core, counts. */
export type ServerResources = Omit<Resources, 'slots'>;

export interface PanelUser {
  /** Our user id: the only thing a panel account is matched by (attacks T28). */
  readonly externalId: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}
export interface PanelServerSpec {
  /** Our server id: unique in the panel, so that a repeated creation never makes a second server. */
  readonly externalId: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string;
  readonly location: { readonly id: string; readonly name: string; readonly address: string };
  readonly egg: { readonly id: string; readonly dockerImage: string; readonly startup: string };
  readonly resources: ServerResources;
  /** Every variable of the egg, as text. */
  readonly environment: Readonly<Record<string, string>>;
}
export type PanelServerState = 'installing' | 'install_failed' | 'ready';
export interface PanelServer {
  readonly panelId: string;
  readonly externalId: string | null;
  readonly name: string;
  readonly description: string;
  readonly state: PanelServerState;
  readonly suspended: boolean;
  readonly resources: ServerResources;
  /** `host:port` where players connect. */
  readonly address: string | null;
  /** What is in use, where the panel knows it: counts, and MB of disk. */
  readonly usage: { readonly databases: number | null; readonly backups: number | null; readonly disk: number | null };
}
export interface PanelDetails {
  readonly name: string;
  readonly description: string;
}

export interface Panel {
  readonly driver: 'embedded' | 'pterodactyl' | 'pelican';
  /** How long an installation takes at this panel by its own word, in ms; null where only experience tells. */
  typicalInstallMs(): number | null;
  /** Finds the account of a user by our id or makes it. Its panel id. */
  ensureUser(user: PanelUser): Promise<PanelAnswer<string>>;
  createServer(spec: PanelServerSpec): Promise<PanelAnswer<PanelServer>>;
  findServerByExternalId(externalId: string): Promise<PanelAnswer<PanelServer>>;
  readServer(panelId: string): Promise<PanelAnswer<PanelServer>>;
  /** Servers in a stable order, in pages that start at 1; `next` is null on the last. */
  listServers(page: number): Promise<PanelAnswer<{ readonly servers: readonly PanelServer[]; readonly next: number | null }>>;
  setBuild(panelId: string, resources: ServerResources): Promise<PanelAnswer<PanelServer>>;
  setDetails(panelId: string, details: PanelDetails): Promise<PanelAnswer<PanelServer>>;
  suspend(panelId: string): Promise<PanelAnswer<null>>;
  unsuspend(panelId: string): Promise<PanelAnswer<null>>;
  deleteServer(panelId: string): Promise<PanelAnswer<null>>;
}

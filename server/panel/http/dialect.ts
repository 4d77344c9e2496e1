import type {
  PanelAnswer,
  PanelCatalogue,
  PanelEgg,
  PanelNode,
  PanelRight,
  PanelUser,
} from '#server/modules/servers/panel/ports.ts';
import type { PanelClient } from './client.ts';
import type { PanelNames } from './names.ts';

/** Locations as the port has them. */
type Locations = Awaited<ReturnType<PanelCatalogue['locations']>>;

/** In what the two panels differ (panel contract, section 8); all else is alike. */
export interface Dialect {
  readonly name: 'pterodactyl' | 'pelican';
  /** Calls a minute as delivered, until the panel says what its host made of them. */
  readonly limits: { readonly application: number; readonly client: number };
  /** Servers in a page of the list. */
  readonly pageSize: number;
  /** Rights the product needs. The catalogue's are for reading alone. */
  readonly rights: readonly { readonly right: PanelRight; readonly level: 'read' | 'write' }[];
  /** The body of an account that is made or changed; complete, as a change is no patch. */
  userBody(user: PanelUser, names: PanelNames, username: string): object;
  locations(client: PanelClient, nodes: () => Promise<PanelAnswer<readonly PanelNode[]>>): Promise<Locations>;
  eggs(client: PanelClient): Promise<PanelAnswer<readonly PanelEgg[]>>;
  /** A path that tells whether eggs may be read. In: a nest's id, '0' where none is known. */
  eggProbe(nest: string): string;
  /** Where an account asks for a new password, below the panel's address. */
  readonly passwordPath: string;
}

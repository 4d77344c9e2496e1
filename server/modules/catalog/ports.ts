import type { ConfigFile } from '#shared/config-files.ts';
import type { EggContainer } from '#shared/engine.ts';
import type { BlockShape, EggVariable } from '#shared/schemas/egg.ts';

/** Where servers run (behaviour 6.1). */
export interface Location {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Country, two capital letters. */
  readonly code: string;
  /** Host name or IPv4 address that stands in the addresses of its servers. */
  readonly address: string;
  /** How many servers may be here. */
  readonly slots: number;
  readonly online: boolean;
  readonly vipOnly: boolean;
  readonly position: number;
  /** The panel its servers are made at; null: the embedded one. */
  readonly panel: string | null;
  /** The panel's location, or with Pelican a tag of its nodes; null: every node of the panel. */
  readonly panelLocation: string | null;
  /** Nodes with the largest free share first, or the fullest first. */
  readonly placement: 'spread' | 'pack';
}
/** A group of eggs. */
export interface EggCategory {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Id of the picture beside its name; '': none. */
  readonly picture: string;
  readonly enabled: boolean;
  readonly position: number;
}
/** A kind of software a server can run. */
export interface Egg {
  readonly id: string;
  readonly categoryId: string;
  readonly name: string;
  readonly description: string;
  readonly dockerImage: string;
  readonly startup: string;
  readonly shape: BlockShape;
  /** Hue bucket, 0 to 11. */
  readonly hue: number;
  /** Id of the picture that it has in the place of its block; '': none. */
  readonly picture: string;
  /** MB, MB, percent of one core. */
  readonly minMemory: number;
  readonly minDisk: number;
  readonly minCpu: number;
  readonly enabled: boolean;
  readonly vipOnly: boolean;
  readonly position: number;
  readonly variables: readonly EggVariable[];
  /** Written before each start of a server of this machine. */
  readonly configFiles: readonly ConfigFile[];
  /** What its file says of its container; null: it has none. */
  readonly container: EggContainer | null;
}

/** What the other modules ask of the catalogue. Lists are in the order in which they are shown: position, then name. */
export interface CatalogRepo {
  location(id: string): Promise<Location | null>;
  /** Like `location`, and locks the row for the rest of the transaction (PostgreSQL), so that slots are not given twice. */
  lockLocation(id: string): Promise<Location | null>;
  category(id: string): Promise<EggCategory | null>;
  egg(id: string): Promise<Egg | null>;
  locations(): Promise<Location[]>;
  categories(): Promise<EggCategory[]>;
  eggs(): Promise<Egg[]>;
  /** Slots taken at a location: servers that are neither deleted nor failed, the queued ones included. */
  locationUse(locationId: string): Promise<number>;
  /** Slots taken, by location; a location without servers is absent. */
  locationUses(): Promise<ReadonlyMap<string, number>>;
  counts(): Promise<{ locations: number; categories: number; eggs: number }>;
  /** Keeps the text of an installation script by an id that says what it is; one that is there stays. */
  keepInstallScript(id: string, script: string): Promise<void>;
}

import type { OfferKind, OfferState } from '#shared/panel-codes.ts';
import { MINUTE } from '#shared/time.ts';
import type { Egg } from '../catalog/ports.ts';
import type { PanelHealth } from '../servers/index.ts';
import type { Tx } from '../tx.ts';
import { isInsecure } from './address.ts';
import type { PanelsDeps } from './deps.ts';
import { isChangedByStaff } from './import.ts';
import { readKeyState, type ShownKey } from './keys.ts';
import {
  categoryOf,
  eggBodyOf,
  eggChanges,
  leftToPanel,
  locationBodyOf,
  locationChanges,
  stateOf,
  importedEgg,
  importedLocation,
  type Change,
} from './offers.ts';
import type {
  Binding,
  CheckedPanel,
  NodeWithPorts,
  BoundLocation,
  Offer,
  OfferHead,
  PanelRow,
  StoredSync,
  Uses,
} from './ports.ts';

/** A reading that was asked for longer ago than this has come to nothing. */
const SYNC_TIMEOUT_MS = 15 * MINUTE;
const NO_USES: Uses = { servers: 0, locations: 0, eggs: 0 };

/** What the last sync found and nobody has handled. */
interface News {
  readonly fresh: number;
  readonly changed: number;
  readonly vanished: number;
}
/** A panel as staff see it: nothing of its keys but the last characters. */
export interface PanelDetails extends Pick<
  PanelRow,
  'id' | 'name' | 'dialect' | 'url' | 'publicUrl' | 'enabled' | 'createdMs' | 'updatedMs'
> {
  /** Reached without encryption. */
  readonly insecure: boolean;
  readonly key: ShownKey;
  readonly clientKey: ShownKey;
  /** As this process sees it; null where it is disabled or cannot be reached with its key. */
  readonly health: PanelHealth | null;
  readonly checked: CheckedPanel | null;
  readonly synced: (StoredSync & { readonly atMs: number }) | null;
  /** A sync was asked for and is not over. */
  readonly syncing: boolean;
  readonly uses: Uses;
  readonly news: News;
}
/** Something that differs from what was imported. `own`: staff changed it here as well. */
interface OfferChange extends Change {
  readonly own: boolean;
}
/** A location or an egg of a panel, and what it became here. */
interface OfferDetails extends Pick<Offer, 'ref' | 'name' | 'firstMs' | 'vanishedMs'> {
  readonly kind: OfferKind;
  readonly state: OfferState;
  readonly description: string;
  readonly nest: { readonly ref: string; readonly name: string } | null;
  readonly ours: { readonly id: string; readonly name: string; readonly on: boolean } | null;
  readonly changes: readonly OfferChange[];
  /** Rules of variables that only the panel checks. */
  readonly left: readonly { readonly env: string; readonly rule: string }[];
}
/** A node as staff see it: memory and disk in MB that may be given out, null without a limit; its places by name. */
interface NodeDetails extends Pick<
  NodeWithPorts,
  'id' | 'name' | 'fqdn' | 'public' | 'maintenance' | 'memoryUsed' | 'diskUsed' | 'ports' | 'portsFree' | 'vanishedMs'
> {
  readonly places: readonly string[];
  readonly memory: number | null;
  readonly disk: number | null;
}
export interface CatalogueDetails {
  readonly panel: PanelDetails;
  readonly offers: readonly OfferDetails[];
  /** `waiting`: eggs that are new or changed. `category`: what stands for the nest here. */
  readonly nests: readonly {
    readonly ref: string;
    readonly name: string;
    readonly eggs: number;
    readonly waiting: number;
    readonly category: { readonly id: string; readonly name: string } | null;
  }[];
  readonly nodes: readonly NodeDetails[];
}

/** Whether a reading of the catalogue was asked for and is not over. */
const isSyncing = (row: PanelRow, nowMs: number): boolean =>
  row.syncAskedMs !== null && nowMs - row.syncAskedMs < SYNC_TIMEOUT_MS;

function readHealth(deps: PanelsDeps, row: PanelRow): PanelDetails['health'] {
  const connection = row.enabled ? deps.registry.findConnection(row) : null;
  return connection && connection.catalogue.health();
}

/** A panel as staff see it. */
function detailsOf(deps: PanelsDeps, row: PanelRow, uses: Uses, news: News): PanelDetails {
  const { id, name, dialect, url, publicUrl, enabled, createdMs, updatedMs } = row;
  return {
    id,
    name,
    dialect,
    url,
    publicUrl,
    insecure: isInsecure(url),
    enabled,
    key: readKeyState(deps.sealer, row, 'key'),
    clientKey: readKeyState(deps.sealer, row, 'client_key'),
    health: readHealth(deps, row),
    checked: row.checked && row.checkedMs !== null ? { check: row.checked, atMs: row.checkedMs } : null,
    synced: row.synced && row.syncedMs !== null ? { ...row.synced, atMs: row.syncedMs } : null,
    syncing: isSyncing(row, deps.clock.now()),
    uses,
    news,
    createdMs,
    updatedMs,
  };
}

/** Panels as staff see them. In: all of them, or the one of an id. */
export async function listPanelDetails(deps: PanelsDeps, tx: Tx, id?: string): Promise<PanelDetails[]> {
  const rows = (await tx.panels.list()).filter((row) => id === undefined || row.id === id);
  const [uses, heads] = [await tx.panels.countUses(), await tx.panels.listOfferHeads()];
  const all: PanelDetails[] = [];
  for (const row of rows)
    all.push(
      detailsOf(
        deps,
        row,
        uses.get(row.id) ?? NO_USES,
        countNews(
          heads.filter(({ panelId }) => panelId === row.id),
          await linksOf(tx, row.id),
        ),
      ),
    );
  return all;
}

interface Links {
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly locations: readonly BoundLocation[];
}
async function linksOf(tx: Tx, panelId: string): Promise<Links> {
  return {
    bindings: new Map((await tx.panels.listBindings(panelId)).map((each) => [each.panelEgg, each])),
    locations: await tx.panels.listBoundLocations(panelId),
  };
}
const isLinked = ({ bindings, locations }: Links, { kind, ref }: Pick<Offer, 'kind' | 'ref'>): boolean =>
  kind === 'egg' ? bindings.has(ref) : locations.some((each) => each.panelLocation === ref);

function countNews(heads: readonly OfferHead[], links: Links): News {
  const news = { fresh: 0, changed: 0, vanished: 0 };
  for (const head of heads) {
    const state = head.kind === 'nest' ? 'current' : stateOf(head, isLinked(links, head));
    // What vanished and is not used here any more is no news.
    if (state !== 'current' && (state !== 'vanished' || isLinked(links, head))) news[state] += 1;
  }
  return news;
}

/** What a panel offers, how it stands to what is here, and its nodes with their capacity. */
export async function readCatalogue(deps: PanelsDeps, tx: Tx, row: PanelRow): Promise<CatalogueDetails> {
  const offers = await tx.panels.listOffers(row.id);
  const links = await linksOf(tx, row.id);
  const eggs = new Map((await tx.catalog.eggs()).map((egg) => [egg.id, egg]));
  const categories = new Map((await tx.catalog.categories()).map(({ id, name }) => [id, { id, name }]));
  const names = new Map(offers.filter(({ kind }) => kind === 'nest').map(({ ref, name }) => [ref, name]));
  const shown = offers.flatMap((offer) => offerDetails(offer, { links, eggs, names }));
  const nests = offers
    .filter(({ kind, vanishedMs }) => kind === 'nest' && vanishedMs === null)
    .map((nest) => {
      const inside = shown.filter((offer) => offer.nest?.ref === nest.ref && offer.state !== 'vanished');
      const waiting = inside.filter(({ state }) => state === 'fresh' || state === 'changed').length;
      return {
        ref: nest.ref,
        name: nest.name,
        eggs: inside.length,
        waiting,
        category: categories.get(categoryOf(nest) ?? '') ?? null,
      };
    });
  const places = new Map(offers.filter(({ kind }) => kind === 'location').map(({ ref, name }) => [ref, name]));
  const uses = (await tx.panels.countUses()).get(row.id) ?? NO_USES;
  return {
    panel: detailsOf(
      deps,
      row,
      uses,
      countNews(
        offers.map((offer) => ({ ...offer, panelId: row.id })),
        links,
      ),
    ),
    offers: shown,
    nests,
    nodes: (await tx.panels.listNodes(row.id)).map((node) => nodeDetails(node, places)),
  };
}

interface OfferContext {
  readonly links: Links;
  readonly eggs: ReadonlyMap<string, Egg>;
  readonly names: ReadonlyMap<string, string>;
}

/** An offer beside what it became here; nothing for a nest, and for what is neither there nor here. */
function offerDetails(offer: Offer, context: OfferContext): OfferDetails[] {
  const { kind } = offer;
  if (kind === 'nest') return [];
  const linked = isLinked(context.links, offer);
  const state = stateOf(offer, linked);
  // What was deleted here and vanished there is nobody's.
  if (state === 'vanished' && !linked) return [];
  const facts = {
    kind,
    ref: offer.ref,
    name: offer.name,
    state,
    firstMs: offer.firstMs,
    vanishedMs: offer.vanishedMs,
  };
  return [
    kind === 'location' ? { ...facts, ...locationPart(offer, context) } : { ...facts, ...eggPart(offer, context) },
  ];
}

type Part = Pick<OfferDetails, 'description' | 'nest' | 'ours' | 'changes' | 'left'>;

function locationPart(offer: Offer, { links }: OfferContext): Part {
  const ours = links.locations.find(({ panelLocation }) => panelLocation === offer.ref);
  const taken = importedLocation(offer);
  const changes = taken && offer.vanishedMs === null ? locationChanges(taken, locationBodyOf(offer)) : [];
  return {
    description: locationBodyOf(offer).description,
    nest: null,
    ours: ours ? { id: ours.id, name: ours.name, on: ours.online } : null,
    changes: changes.map((change): OfferChange => ({ ...change, own: false })),
    left: [],
  };
}

function eggPart(offer: Offer, { links, eggs, names }: OfferContext): Part {
  const body = eggBodyOf(offer);
  const ours = eggs.get(links.bindings.get(offer.ref)?.eggId ?? '');
  const taken = importedEgg(offer);
  const changes =
    ours && taken && offer.vanishedMs === null
      ? eggChanges(taken, body).map((change): OfferChange => ({
          ...change,
          own: isChangedByStaff(ours, taken, change),
        }))
      : [];
  const nest = offer.parent === null ? null : { ref: offer.parent, name: names.get(offer.parent) ?? body.nest.name };
  return {
    description: body.description,
    nest,
    ours: ours ? { id: ours.id, name: ours.name, on: ours.enabled } : null,
    changes,
    left: leftToPanel(body),
  };
}

/** What may be given out of an amount with so many percent above it; null: no limit. */
const withOverallocation = (amount: number, percent: number): number | null =>
  percent < 0 ? null : Math.floor((amount * (100 + percent)) / 100);

function nodeDetails(node: NodeWithPorts, places: ReadonlyMap<string, string>): NodeDetails {
  const of = node.location === null ? node.tags : [node.location];
  return {
    id: node.id,
    name: node.name,
    fqdn: node.fqdn,
    places: of.map((ref) => places.get(ref) ?? ref),
    public: node.public,
    maintenance: node.maintenance,
    memory: withOverallocation(node.memory, node.memoryOverallocate),
    disk: withOverallocation(node.disk, node.diskOverallocate),
    memoryUsed: node.memoryUsed,
    diskUsed: node.diskUsed,
    ports: node.ports,
    portsFree: node.portsFree,
    vanishedMs: node.vanishedMs,
  };
}

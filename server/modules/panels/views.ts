import type { z } from 'zod/mini';
import type {
  adminPanels,
  NodeView,
  OfferChange,
  OfferView,
  PanelCheckView,
  PanelSyncView,
  PanelView,
} from '#shared/contract/panels.ts';
import type { OfferKind } from '#shared/panel-codes.ts';
import { iso, MINUTE } from '#shared/time.ts';
import type { Egg } from '../catalog/ports.ts';
import type { Tx } from '../tx.ts';
import { isInsecure } from './address.ts';
import type { PanelsDeps } from './deps.ts';
import { isChangedByStaff } from './import.ts';
import { keyView } from './keys.ts';
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
} from './offers.ts';
import type {
  Binding,
  NodeWithPorts,
  BoundLocation,
  Offer,
  OfferHead,
  PanelRow,
  StoredCheck,
  StoredSync,
  Uses,
} from './ports.ts';

/** A reading that was asked for longer ago than this has come to nothing. */
const SYNC_TIMEOUT_MS = 15 * MINUTE;
const NO_USES: Uses = { servers: 0, locations: 0, eggs: 0 };
type News = PanelView['news'];

export function checkView(checked: StoredCheck, atMs: number): PanelCheckView {
  if (!('found' in checked))
    return {
      at: iso(atMs),
      fault: { fault: checked.fault, cause: checked.cause },
      dialect: null,
      rights: [],
      client_key: null,
    };
  const { dialect, rights, clientKey } = checked.found;
  return {
    at: iso(atMs),
    fault: null,
    dialect,
    rights: rights.map(({ right, level, granted }) => ({ right, level, granted })),
    client_key: clientKey,
  };
}
function syncView(synced: StoredSync, atMs: number): PanelSyncView {
  return {
    at: iso(atMs),
    state: synced.state,
    part: synced.part,
    fault: synced.fault,
    nodes_failed: [...synced.nodesFailed],
  };
}

/** Whether a reading of the catalogue was asked for and is not over. */
const isSyncing = (row: PanelRow, nowMs: number): boolean =>
  row.syncAskedMs !== null && nowMs - row.syncAskedMs < SYNC_TIMEOUT_MS;

function healthView(deps: PanelsDeps, row: PanelRow): PanelView['health'] {
  const connection = row.enabled ? deps.registry.findConnection(row) : null;
  if (!connection) return null;
  const { circuit, opensAgainMs, budget, lastAnswerMs, lastFailure } = connection.catalogue.health();
  return {
    circuit,
    opens_again_at: iso(opensAgainMs),
    budget: {
      limit: Math.round(budget.limit),
      left: Math.max(0, Math.floor(budget.left)),
      resets_at: iso(Math.round(budget.resetsMs)),
    },
    last_answer_at: iso(lastAnswerMs),
    last_failure: lastFailure,
  };
}

/** A panel as staff see it. */
function panelView(deps: PanelsDeps, row: PanelRow, uses: Uses, news: News): PanelView {
  const { id, name, dialect, url, publicUrl, enabled } = row;
  return {
    id,
    name,
    dialect,
    url,
    public_url: publicUrl,
    insecure: isInsecure(url),
    enabled,
    key: keyView(deps.sealer, row, 'key'),
    client_key: keyView(deps.sealer, row, 'client_key'),
    health: healthView(deps, row),
    checked: row.checked && row.checkedMs !== null ? checkView(row.checked, row.checkedMs) : null,
    synced: row.synced && row.syncedMs !== null ? syncView(row.synced, row.syncedMs) : null,
    syncing: isSyncing(row, deps.clock.now()),
    uses,
    news,
    created_at: iso(row.createdMs),
    updated_at: iso(row.updatedMs),
  };
}

/** Panels as staff see them. In: all of them, or the one of an id. */
export async function panelViews(deps: PanelsDeps, tx: Tx, id?: string): Promise<PanelView[]> {
  const rows = (await tx.panels.list()).filter((row) => id === undefined || row.id === id);
  const [uses, heads] = [await tx.panels.countUses(), await tx.panels.listOfferHeads()];
  const views: PanelView[] = [];
  for (const row of rows)
    views.push(
      panelView(
        deps,
        row,
        uses.get(row.id) ?? NO_USES,
        countNews(
          heads.filter(({ panelId }) => panelId === row.id),
          await linksOf(tx, row.id),
        ),
      ),
    );
  return views;
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

type Catalogue = z.input<typeof adminPanels.catalogue.response>;

/** What a panel offers, how it stands to what is here, and its nodes with their capacity. */
export async function catalogueView(deps: PanelsDeps, tx: Tx, row: PanelRow): Promise<Catalogue> {
  const offers = await tx.panels.listOffers(row.id);
  const links = await linksOf(tx, row.id);
  const eggs = new Map((await tx.catalog.eggs()).map((egg) => [egg.id, egg]));
  const categories = new Map((await tx.catalog.categories()).map(({ id, name }) => [id, { id, name }]));
  const names = new Map(offers.filter(({ kind }) => kind === 'nest').map(({ ref, name }) => [ref, name]));
  const shown = offers.flatMap((offer) => offerView(offer, { links, eggs, names }));
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
    panel: panelView(
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
    nodes: (await tx.panels.listNodes(row.id)).map((node) => nodeView(node, places)),
  };
}

interface OfferContext {
  readonly links: Links;
  readonly eggs: ReadonlyMap<string, Egg>;
  readonly names: ReadonlyMap<string, string>;
}

function offerView(offer: Offer, context: OfferContext): OfferView[] {
  if (offer.kind === 'nest') return [];
  const linked = isLinked(context.links, offer);
  const state = stateOf(offer, linked);
  // What was deleted here and vanished there is nobody's.
  if (state === 'vanished' && !linked) return [];
  const facts = {
    kind: offer.kind satisfies OfferKind,
    ref: offer.ref,
    name: offer.name,
    state,
    first_at: iso(offer.firstMs),
    vanished_at: iso(offer.vanishedMs),
  };
  return [
    offer.kind === 'location'
      ? { ...facts, ...locationPart(offer, context) }
      : { ...facts, ...eggPart(offer, context) },
  ];
}

type Part = Pick<OfferView, 'description' | 'nest' | 'ours' | 'changes' | 'left'>;

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

function nodeView(node: NodeWithPorts, places: ReadonlyMap<string, string>): NodeView {
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
    memory_used: node.memoryUsed,
    disk_used: node.diskUsed,
    ports: node.ports,
    ports_free: node.portsFree,
    vanished_at: iso(node.vanishedMs),
  };
}

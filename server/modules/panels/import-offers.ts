import type * as z from 'zod/mini';
import { DomainError } from '#shared/errors.ts';
import type { importOffersInput, turnOffOffersInput } from '#shared/schemas/panel.ts';
import { iso } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Egg, EggCategory } from '../catalog/ports.ts';
import type { CrudValues } from '../crud/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { PanelsDeps } from './deps.ts';
import { toEgg, toLocation, locationTexts, mergeEgg, oneLine, toBlock } from './import.ts';
import { categoryOf, eggBodyOf, locationBodyOf, stateOf, importedEgg, importedLocation } from './offers.ts';
import type { Binding, BoundLocation, Offer, PanelRow } from './ports.ts';

type ImportInput = z.output<typeof importOffersInput>;
type TurnOffInput = z.output<typeof turnOffOffersInput>;

/** Longest name of a location, an egg or a category. */
const NAME = 60;
/** What an imported egg needs at least, until staff say otherwise. */
const MINIMUMS = { min_memory: 1024, min_disk: 1024, min_cpu: 50 };
/** Names that one audit row lists. */
const NAMED = 50;

/** One taking over, in its transaction. */
interface OfferImport {
  readonly deps: PanelsDeps;
  readonly tx: Tx;
  readonly panel: PanelRow;
  readonly offers: readonly Offer[];
  readonly bindings: Map<string, Binding>;
  readonly locations: readonly BoundLocation[];
  readonly eggs: Egg[];
  readonly categories: EggCategory[];
  readonly created: string[];
  readonly updated: string[];
}

async function beginImport(deps: PanelsDeps, tx: Tx, panelId: string): Promise<OfferImport> {
  const panel = await tx.panels.lock(panelId);
  if (!panel) throw new DomainError('NOT_FOUND');
  return {
    deps,
    tx,
    panel,
    offers: await tx.panels.listOffers(panelId),
    bindings: new Map((await tx.panels.listBindings(panelId)).map((each) => [each.panelEgg, each])),
    locations: await tx.panels.listBoundLocations(panelId),
    eggs: await tx.catalog.eggs(),
    categories: await tx.catalog.categories(),
    created: [],
    updated: [],
  };
}

/**
 * Imports what a panel offers: single offers, and whole nests. New ones become locations and eggs of ours, bound to the
 * panel's; changed ones bring over what the panel changed. What is as it was, or has vanished, is skipped. All of it or
 * nothing. Throws NOT_FOUND.
 */
export function importOffers(
  deps: PanelsDeps,
  ctx: SignedIn,
  panelId: string,
  input: ImportInput,
): Promise<{ created: number; updated: number; skipped: number }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const offerImport = await beginImport(deps, tx, panelId);
    const wanted = new Set(input.offers.map(({ kind, ref }) => `${kind}:${ref}`));
    const nests = new Set(input.nests);
    const chosen = offerImport.offers.filter(
      (offer) => wanted.has(`${offer.kind}:${offer.ref}`) || (offer.kind === 'egg' && nests.has(offer.parent ?? '')),
    );
    let skipped = 0;
    for (const offer of chosen) {
      const done =
        offer.kind === 'location'
          ? await importLocation(offerImport, offer)
          : offer.kind === 'egg'
            ? await importEgg(offerImport, offer)
            : false;
      if (!done) skipped += 1;
    }
    const { created, updated } = offerImport;
    if (created.length + updated.length > 0) {
      const after = {
        name: offerImport.panel.name,
        created: created.slice(0, NAMED),
        updated: updated.slice(0, NAMED),
        count: created.length + updated.length,
      };
      await writeAudit(tx, deps, ctx, { action: 'panels.import', target: panelId, after });
      tx.touch('catalog');
    }
    return { created: created.length, updated: updated.length, skipped };
  });
}

/** Makes the location that a panel's stands for, or brings over its new name. Whether anything was done. */
async function importLocation(offerImport: OfferImport, offer: Offer): Promise<boolean> {
  const { tx, panel } = offerImport;
  const ours = offerImport.locations.find(({ panelLocation }) => panelLocation === offer.ref);
  const state = stateOf(offer, ours !== undefined);
  const body = locationBodyOf(offer);
  if (state === 'vanished' || state === 'current') return false;
  if (ours) {
    const [was, next] = [locationTexts(importedLocation(offer) ?? body), locationTexts(body)];
    const values = await getRow(offerImport, 'locations', ours.id);
    // A name or description that staff gave it stays.
    const name =
      values.name === was.name && next.name !== '' && !(await nameTaken(offerImport, next.name, ours.id))
        ? next.name
        : values.name;
    await updateRow(offerImport, 'locations', values, {
      name,
      description: values.description === was.description ? next.description : values.description,
    });
    offerImport.updated.push(String(name));
  } else {
    const nodes = (await tx.panels.listNodes(panel.id)).filter(
      (node) => node.vanishedMs === null && (node.location === offer.ref || node.tags.includes(offer.ref)),
    );
    const facts = toLocation(body, nodes);
    const name = await uniqueName(facts.name || offer.ref, panel.name, (each) => nameTaken(offerImport, each, null));
    await insertRow(offerImport, 'locations', {
      ...facts,
      name,
      online: false,
      vip_only: false,
      position: 0,
      panel_id: panel.id,
      panel_location: offer.ref,
      placement: 'spread',
    });
    offerImport.created.push(name);
  }
  await tx.panels.markTaken(panel.id, 'location', offer.ref, offer.hash, body);
  return true;
}

async function nameTaken({ tx }: OfferImport, name: string, except: string | null): Promise<boolean> {
  return (await tx.catalog.locations()).some(
    (each) => each.id !== except && each.name.toLowerCase() === name.toLowerCase(),
  );
}

/** Makes the egg that a panel's is, or brings over what the panel changed. Whether anything was done. */
async function importEgg(offerImport: OfferImport, offer: Offer): Promise<boolean> {
  const { tx, panel, deps } = offerImport;
  const bound = offerImport.bindings.get(offer.ref);
  const state = stateOf(offer, bound !== undefined);
  if (state === 'vanished' || state === 'current') return false;
  const body = eggBodyOf(offer);
  const ours = offerImport.eggs.find(({ id }) => id === bound?.eggId);
  if (bound && ours) await changeEgg(offerImport, ours, mergeEgg(ours, importedEgg(offer), body));
  else {
    const category = await categoryFor(offerImport, offer.parent ?? '');
    const part = toEgg(body);
    const twin = offerImport.eggs.find(
      (egg) => egg.categoryId === category && egg.name.toLowerCase() === part.name.toLowerCase(),
    );
    // The same egg of another panel, or one that was made by hand, becomes this one, unless it is another egg of this
    // panel already.
    const join = twin && ![...offerImport.bindings.values()].some((each) => each.eggId === twin.id) ? twin : null;
    const id = join ? join.id : await addEgg(offerImport, offer, category);
    if (join) await joinEgg(offerImport, join, offer);
    await tx.panels.bind(id, panel.id, offer.ref, deps.clock.now());
    offerImport.bindings.set(offer.ref, { eggId: id, panelEgg: offer.ref, elsewhere: false });
  }
  await tx.panels.markTaken(panel.id, 'egg', offer.ref, offer.hash, body);
  return true;
}

async function addEgg(offerImport: OfferImport, offer: Offer, category: string): Promise<string> {
  const { deps, eggs } = offerImport;
  const body = eggBodyOf(offer);
  const part = toEgg(body);
  const taken = (name: string) =>
    Promise.resolve(eggs.some((egg) => egg.categoryId === category && egg.name.toLowerCase() === name.toLowerCase()));
  const name = await uniqueName(part.name, offerImport.panel.name, taken);
  const values = {
    ...part,
    name,
    ...toBlock(deps.ids.hash(body.uuid)),
    ...MINIMUMS,
    category_id: category,
    enabled: true,
    vip_only: false,
    position: Math.min(10_000, eggs.length),
  };
  const id = await insertRow(offerImport, 'eggs', values);
  const made = await offerImport.tx.catalog.egg(id);
  if (made) eggs.push(made);
  offerImport.created.push(name);
  return id;
}

/**
 * An egg that comes from nowhere else follows this panel from now on; one that another panel has as well stays as it
 * is.
 */
async function joinEgg(offerImport: OfferImport, ours: Egg, offer: Offer): Promise<void> {
  if (await offerImport.tx.panels.isBound(ours.id)) offerImport.updated.push(ours.name);
  else await changeEgg(offerImport, ours, { ...mergeEgg(ours, null, eggBodyOf(offer)), name: ours.name });
}

async function changeEgg(offerImport: OfferImport, ours: Egg, change: CrudValues): Promise<void> {
  const name = typeof change.name === 'string' ? change.name : ours.name;
  const clash = offerImport.eggs.some(
    (egg) => egg.id !== ours.id && egg.categoryId === ours.categoryId && egg.name.toLowerCase() === name.toLowerCase(),
  );
  await updateRow(offerImport, 'eggs', await getRow(offerImport, 'eggs', ours.id), {
    ...change,
    name: clash ? ours.name : name,
  });
  offerImport.updated.push(clash ? ours.name : name);
}

/** The egg category that stands for a nest: the one it became, else one of the same name, else a new one. */
async function categoryFor(offerImport: OfferImport, nest: string): Promise<string> {
  const { tx, panel, categories } = offerImport;
  const offer = offerImport.offers.find(({ kind, ref }) => kind === 'nest' && ref === nest);
  const known = offer ? categoryOf(offer) : null;
  const name = oneLine(offer?.name ?? '', NAME) || panel.name;
  const same =
    categories.find(({ id }) => id === known) ??
    categories.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const id =
    same?.id ??
    (await insertRow(offerImport, 'eggCategories', { name, description: '', picture: '', enabled: true, position: 0 }));
  if (!same) categories.push({ id, name, description: '', picture: '', enabled: true, position: 0 });
  if (offer && known !== id) await tx.panels.markTaken(panel.id, 'nest', nest, offer.hash, { category: id });
  return id;
}

/**
 * Turns off what became of vanished offers: locations take no new servers, eggs are hidden. An egg that another panel
 * has as well only loses the way to this one. Out: how many. Nothing is deleted. Throws NOT_FOUND.
 */
export async function turnOffVanished(
  deps: PanelsDeps,
  ctx: SignedIn,
  panelId: string,
  input: TurnOffInput,
): Promise<{ done: number }> {
  return deps.uow.run(async (tx) => {
    const offerImport = await beginImport(deps, tx, panelId);
    const wanted = new Set(input.offers.map(({ kind, ref }) => `${kind}:${ref}`));
    for (const offer of offerImport.offers.filter(
      (each) => each.vanishedMs !== null && wanted.has(`${each.kind}:${each.ref}`),
    )) {
      if (offer.kind === 'egg') await turnOffEgg(offerImport, offer);
      for (const place of offer.kind === 'location'
        ? offerImport.locations.filter((each) => each.panelLocation === offer.ref && each.online)
        : []) {
        await updateRow(offerImport, 'locations', await getRow(offerImport, 'locations', place.id), { online: false });
        offerImport.updated.push(place.name);
      }
    }
    if (offerImport.updated.length === 0) return { done: 0 };
    await writeAudit(tx, deps, ctx, {
      action: 'panels.turn_off',
      target: panelId,
      after: { name: offerImport.panel.name, off: offerImport.updated.slice(0, NAMED) },
    });
    tx.touch('catalog');
    return { done: offerImport.updated.length };
  });
}

async function turnOffEgg(offerImport: OfferImport, offer: Offer): Promise<void> {
  const bound = offerImport.bindings.get(offer.ref);
  const egg = offerImport.eggs.find(({ id }) => id === bound?.eggId);
  if (!bound || !egg) return;
  if (bound.elsewhere) await offerImport.tx.panels.unbind(egg.id, offerImport.panel.id);
  else if (!egg.enabled) return;
  else await updateRow(offerImport, 'eggs', await getRow(offerImport, 'eggs', egg.id), { enabled: false });
  offerImport.updated.push(egg.name);
}

type CrudArea = 'locations' | 'eggs' | 'eggCategories';

async function insertRow({ deps, tx }: OfferImport, area: CrudArea, values: CrudValues): Promise<string> {
  const id = deps.ids.uuid();
  const at = iso(deps.clock.now());
  await tx.crud.area(area).insert({ ...values, id, created_at: at, updated_at: at });
  return id;
}

async function getRow({ deps, tx }: OfferImport, area: CrudArea, id: string): Promise<CrudValues> {
  const row = await tx.crud.area(area).find(id, deps.clock.now());
  if (!row) throw new DomainError('CONFLICT');
  return row;
}

/** Writes what differs. The new time is later than the old one, so that an editor who has the row open notices. */
async function updateRow(
  { deps, tx }: OfferImport,
  area: CrudArea,
  row: CrudValues,
  values: CrudValues,
): Promise<void> {
  const seen = String(row.updated_at);
  const updated = iso(Math.max(deps.clock.now(), Date.parse(seen) + 1));
  if (!(await tx.crud.area(area).update(String(row.id), seen, { ...values, updated_at: updated })))
    throw new DomainError('CONFLICT');
}

/** A name that is not taken: as it is, with the panel's name behind it, or with a number. */
async function uniqueName(wanted: string, panel: string, taken: (name: string) => Promise<boolean>): Promise<string> {
  const cut = (tail: string) => `${oneLine(wanted, NAME - tail.length)}${tail}`;
  const names = [cut(''), cut(` (${oneLine(panel, 20)})`), ...Array.from({ length: 200 }, (_, n) => cut(` ${n + 2}`))];
  for (const name of names) if (!(await taken(name))) return name;
  throw new DomainError('CONFLICT');
}

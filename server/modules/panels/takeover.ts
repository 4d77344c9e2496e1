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
import { categoryOf, eggBodyOf, locationBodyOf, stateOf, takenEgg, takenLocation } from './offers.ts';
import type { Binding, BoundLocation, Offer, PanelRow } from './ports.ts';

type TakeInput = z.output<typeof importOffersInput>;
type TurnOffInput = z.output<typeof turnOffOffersInput>;

/** Longest name of a location, an egg or a category. */
const NAME = 60;
/** What an imported egg needs at least, until staff say otherwise. */
const MINIMUMS = { min_memory: 1024, min_disk: 1024, min_cpu: 50 };
/** Names that one audit row lists. */
const NAMED = 50;

/** One taking over, in its transaction. */
interface Takeover {
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

async function beginTakeover(deps: PanelsDeps, tx: Tx, panelId: string): Promise<Takeover> {
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
 * Takes over what a panel offers: single offers, and whole nests. New ones become locations and eggs of ours, bound to
 * the panel's; changed ones bring over what the panel changed. What is as it was, or has vanished, is skipped. All of
 * it or nothing. Throws NOT_FOUND.
 */
export function takeOffers(
  deps: PanelsDeps,
  ctx: SignedIn,
  panelId: string,
  input: TakeInput,
): Promise<{ created: number; updated: number; skipped: number }> {
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const takeover = await beginTakeover(deps, tx, panelId);
    const wanted = new Set(input.offers.map(({ kind, ref }) => `${kind}:${ref}`));
    const nests = new Set(input.nests);
    const chosen = takeover.offers.filter(
      (offer) => wanted.has(`${offer.kind}:${offer.ref}`) || (offer.kind === 'egg' && nests.has(offer.parent ?? '')),
    );
    let skipped = 0;
    for (const offer of chosen) {
      const done =
        offer.kind === 'location'
          ? await takeLocation(takeover, offer)
          : offer.kind === 'egg'
            ? await takeEgg(takeover, offer)
            : false;
      if (!done) skipped += 1;
    }
    const { created, updated } = takeover;
    if (created.length + updated.length > 0) {
      const after = {
        name: takeover.panel.name,
        created: created.slice(0, NAMED),
        updated: updated.slice(0, NAMED),
        count: created.length + updated.length,
      };
      await writeAudit(tx, deps, ctx, { action: 'panels.take', target: panelId, after });
      tx.touch('catalog');
    }
    return { created: created.length, updated: updated.length, skipped };
  });
}

/** Makes the location that a panel's stands for, or brings over its new name. Whether anything was done. */
async function takeLocation(takeover: Takeover, offer: Offer): Promise<boolean> {
  const { tx, panel } = takeover;
  const ours = takeover.locations.find(({ panelLocation }) => panelLocation === offer.ref);
  const state = stateOf(offer, ours !== undefined);
  const body = locationBodyOf(offer);
  if (state === 'vanished' || state === 'current') return false;
  if (ours) {
    const [was, next] = [locationTexts(takenLocation(offer) ?? body), locationTexts(body)];
    const values = await getRow(takeover, 'locations', ours.id);
    // A name or description that staff gave it stays.
    const name =
      values.name === was.name && next.name !== '' && !(await nameTaken(takeover, next.name, ours.id))
        ? next.name
        : values.name;
    await updateRow(takeover, 'locations', values, {
      name,
      description: values.description === was.description ? next.description : values.description,
    });
    takeover.updated.push(String(name));
  } else {
    const nodes = (await tx.panels.listNodes(panel.id)).filter(
      (node) => node.vanishedMs === null && (node.location === offer.ref || node.tags.includes(offer.ref)),
    );
    const facts = toLocation(body, nodes);
    const name = await uniqueName(facts.name || offer.ref, panel.name, (each) => nameTaken(takeover, each, null));
    await insertRow(takeover, 'locations', {
      ...facts,
      name,
      online: false,
      vip_only: false,
      position: 0,
      panel_id: panel.id,
      panel_location: offer.ref,
      placement: 'spread',
    });
    takeover.created.push(name);
  }
  await tx.panels.markTaken(panel.id, 'location', offer.ref, offer.hash, body);
  return true;
}

async function nameTaken({ tx }: Takeover, name: string, except: string | null): Promise<boolean> {
  return (await tx.catalog.locations()).some(
    (each) => each.id !== except && each.name.toLowerCase() === name.toLowerCase(),
  );
}

/** Makes the egg that a panel's is, or brings over what the panel changed. Whether anything was done. */
async function takeEgg(takeover: Takeover, offer: Offer): Promise<boolean> {
  const { tx, panel, deps } = takeover;
  const bound = takeover.bindings.get(offer.ref);
  const state = stateOf(offer, bound !== undefined);
  if (state === 'vanished' || state === 'current') return false;
  const body = eggBodyOf(offer);
  const ours = takeover.eggs.find(({ id }) => id === bound?.eggId);
  if (bound && ours) await changeEgg(takeover, ours, mergeEgg(ours, takenEgg(offer), body));
  else {
    const category = await categoryFor(takeover, offer.parent ?? '');
    const part = toEgg(body);
    const twin = takeover.eggs.find(
      (egg) => egg.categoryId === category && egg.name.toLowerCase() === part.name.toLowerCase(),
    );
    // The same egg of another panel, or one that was made by hand, becomes this one, unless it is another egg of this
    // panel already.
    const join = twin && ![...takeover.bindings.values()].some((each) => each.eggId === twin.id) ? twin : null;
    const id = join ? join.id : await addEgg(takeover, offer, category);
    if (join) await joinEgg(takeover, join, offer);
    await tx.panels.bind(id, panel.id, offer.ref, deps.clock.now());
    takeover.bindings.set(offer.ref, { eggId: id, panelEgg: offer.ref, elsewhere: false });
  }
  await tx.panels.markTaken(panel.id, 'egg', offer.ref, offer.hash, body);
  return true;
}

async function addEgg(takeover: Takeover, offer: Offer, category: string): Promise<string> {
  const { deps, eggs } = takeover;
  const body = eggBodyOf(offer);
  const part = toEgg(body);
  const taken = (name: string) =>
    Promise.resolve(eggs.some((egg) => egg.categoryId === category && egg.name.toLowerCase() === name.toLowerCase()));
  const name = await uniqueName(part.name, takeover.panel.name, taken);
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
  const id = await insertRow(takeover, 'eggs', values);
  const made = await takeover.tx.catalog.egg(id);
  if (made) eggs.push(made);
  takeover.created.push(name);
  return id;
}

/**
 * An egg that comes from nowhere else follows this panel from now on; one that another panel has as well stays as it
 * is.
 */
async function joinEgg(takeover: Takeover, ours: Egg, offer: Offer): Promise<void> {
  if (await takeover.tx.panels.isBound(ours.id)) takeover.updated.push(ours.name);
  else await changeEgg(takeover, ours, { ...mergeEgg(ours, null, eggBodyOf(offer)), name: ours.name });
}

async function changeEgg(takeover: Takeover, ours: Egg, change: CrudValues): Promise<void> {
  const name = typeof change.name === 'string' ? change.name : ours.name;
  const clash = takeover.eggs.some(
    (egg) => egg.id !== ours.id && egg.categoryId === ours.categoryId && egg.name.toLowerCase() === name.toLowerCase(),
  );
  await updateRow(takeover, 'eggs', await getRow(takeover, 'eggs', ours.id), {
    ...change,
    name: clash ? ours.name : name,
  });
  takeover.updated.push(clash ? ours.name : name);
}

/** The egg category that stands for a nest: the one it became, else one of the same name, else a new one. */
async function categoryFor(takeover: Takeover, nest: string): Promise<string> {
  const { tx, panel, categories } = takeover;
  const offer = takeover.offers.find(({ kind, ref }) => kind === 'nest' && ref === nest);
  const known = offer ? categoryOf(offer) : null;
  const name = oneLine(offer?.name ?? '', NAME) || panel.name;
  const same =
    categories.find(({ id }) => id === known) ??
    categories.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const id =
    same?.id ??
    (await insertRow(takeover, 'eggCategories', { name, description: '', picture: '', enabled: true, position: 0 }));
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
    const takeover = await beginTakeover(deps, tx, panelId);
    const wanted = new Set(input.offers.map(({ kind, ref }) => `${kind}:${ref}`));
    for (const offer of takeover.offers.filter(
      (each) => each.vanishedMs !== null && wanted.has(`${each.kind}:${each.ref}`),
    )) {
      if (offer.kind === 'egg') await turnOffEgg(takeover, offer);
      for (const place of offer.kind === 'location'
        ? takeover.locations.filter((each) => each.panelLocation === offer.ref && each.online)
        : []) {
        await updateRow(takeover, 'locations', await getRow(takeover, 'locations', place.id), { online: false });
        takeover.updated.push(place.name);
      }
    }
    if (takeover.updated.length === 0) return { done: 0 };
    await writeAudit(tx, deps, ctx, {
      action: 'panels.turn_off',
      target: panelId,
      after: { name: takeover.panel.name, off: takeover.updated.slice(0, NAMED) },
    });
    tx.touch('catalog');
    return { done: takeover.updated.length };
  });
}

async function turnOffEgg(takeover: Takeover, offer: Offer): Promise<void> {
  const bound = takeover.bindings.get(offer.ref);
  const egg = takeover.eggs.find(({ id }) => id === bound?.eggId);
  if (!bound || !egg) return;
  if (bound.elsewhere) await takeover.tx.panels.unbind(egg.id, takeover.panel.id);
  else if (!egg.enabled) return;
  else await updateRow(takeover, 'eggs', await getRow(takeover, 'eggs', egg.id), { enabled: false });
  takeover.updated.push(egg.name);
}

type CrudArea = 'locations' | 'eggs' | 'eggCategories';

async function insertRow({ deps, tx }: Takeover, area: CrudArea, values: CrudValues): Promise<string> {
  const id = deps.ids.uuid();
  const at = iso(deps.clock.now());
  await tx.crud.area(area).insert({ ...values, id, created_at: at, updated_at: at });
  return id;
}

async function getRow({ deps, tx }: Takeover, area: CrudArea, id: string): Promise<CrudValues> {
  const row = await tx.crud.area(area).find(id, deps.clock.now());
  if (!row) throw new DomainError('CONFLICT');
  return row;
}

/** Writes what differs. The new time is later than the old one, so that an editor who has the row open notices. */
async function updateRow({ deps, tx }: Takeover, area: CrudArea, row: CrudValues, values: CrudValues): Promise<void> {
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

import { BLOCK_SHAPES, MAX_VARIABLES, type BlockShape, type EggVariable } from '#shared/schemas/egg.ts';
import type { Egg } from '../catalog/ports.ts';
import type { PanelNode } from '../servers/index.ts';
import { eggChanges, type Change, type EggBody, type LocationBody } from './offers.ts';

/** Longest texts of ours; what a panel says at greater length is cut. Commands, defaults and rules are never cut. */
const NAME = 60;
const DESCRIPTION = 255;
/** Names of variables that players can set here (shared/schemas/server.ts). */
const SETTABLE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** A text of the panel as one line of ours. */
export function oneLine(text: string, max: number): string {
  return [...text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ').trim()].slice(0, max).join('').trim();
}

/** The part of an egg of ours that a panel decides. */
interface EggPart {
  readonly name: string;
  readonly description: string;
  readonly docker_image: string;
  readonly startup: string;
  readonly variables: readonly EggVariable[];
}

/**
 * An egg of the panel as one of ours: its first image, and its variables; players may set those that they may see and
 * set in the panel. Rules are taken as they are.
 */
export function toEgg(body: EggBody): EggPart {
  return {
    name: oneLine(body.name, NAME) || body.uuid.slice(0, 8),
    description: oneLine(body.description, DESCRIPTION),
    docker_image: body.dockerImages[0]?.image ?? '',
    startup: body.startup.trim(),
    variables: body.variables.slice(0, MAX_VARIABLES).map(toVariable),
  };
}

function toVariable(each: EggBody['variables'][number]): EggVariable {
  return {
    env: each.env,
    name: oneLine(each.name, NAME) || each.env,
    description: oneLine(each.description, DESCRIPTION),
    default_value: each.defaultValue,
    rules: each.rules,
    user_editable: each.viewable && each.editable && SETTABLE.test(each.env),
  };
}

/** The block that pictures an imported egg: the same each time. In: a hash in hex. */
export function toBlock(hash: string): { shape: BlockShape; hue: number } {
  return {
    shape: BLOCK_SHAPES[Number.parseInt(hash.slice(0, 4), 16) % BLOCK_SHAPES.length] ?? 'cube',
    hue: Number.parseInt(hash.slice(4, 8), 16) % 12,
  };
}

/**
 * What an egg of ours becomes when a change of the panel is taken over: the parts that the panel changed since the last
 * time, and nothing else, so that what staff set stays. An image that is still offered is kept. In: ours, what was
 * taken over then (null: unknown, all of it counts as changed), and what the panel has now.
 */
export function mergeEgg(ours: Egg, before: EggBody | null, after: EggBody): Partial<EggPart> {
  const next = toEgg(after);
  const changed = new Set(
    before
      ? eggChanges(before, after).map(({ part }) => part)
      : ['name', 'description', 'startup', 'images', 'variable'],
  );
  const kept = after.dockerImages.some(({ image }) => image === ours.dockerImage);
  return {
    ...(changed.has('name') ? { name: next.name } : {}),
    ...(changed.has('description') ? { description: next.description } : {}),
    ...(changed.has('startup') ? { startup: next.startup } : {}),
    ...(changed.has('images') && !kept ? { docker_image: next.docker_image } : {}),
    ...(changed.has('variable') ? { variables: mergeVariables(ours, before, after) } : {}),
  };
}

function mergeVariables(ours: Egg, before: EggBody | null, after: EggBody): EggVariable[] {
  const own = new Map(ours.variables.map((each) => [each.env, each]));
  const was = new Map((before?.variables ?? []).map((each) => [each.env, JSON.stringify(each)]));
  const now = new Set(after.variables.map(({ env }) => env));
  const merged = after.variables.flatMap((each) => {
    const same = was.get(each.env) === JSON.stringify(each);
    const kept = own.get(each.env);
    // Removed by staff, and the panel has not changed it.
    if (same && !kept) return [];
    return [same && kept ? kept : toVariable(each)];
  });
  // Staff's own, of which the panel never knew; without a memory of before, what is not there was the panel's.
  const extra = before ? ours.variables.filter(({ env }) => !now.has(env) && !was.has(env)) : [];
  return [...merged, ...extra].slice(0, MAX_VARIABLES);
}

/** Whether staff changed the part of an egg that a change of the panel would overwrite. */
export function isChangedByStaff(ours: Egg, before: EggBody, { part, subject }: Change): boolean {
  const was = toEgg(before);
  switch (part) {
    case 'name':
      return ours.name !== was.name;
    case 'description':
      return ours.description !== was.description;
    case 'startup':
      return ours.startup !== was.startup;
    case 'images':
      return !before.dockerImages.some(({ image }) => image === ours.dockerImage);
    case 'variable': {
      const [own, then] = [ours.variables, was.variables].map((list) => list.find(({ env }) => env === subject));
      return JSON.stringify(sorted(own)) !== JSON.stringify(sorted(then));
    }
  }
}
const sorted = (variable: EggVariable | undefined) =>
  variable ? Object.entries(variable).sort(([a], [b]) => (a < b ? -1 : 1)) : null;

const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** What a location begins with that a panel says nothing of. */
const SLOTS = 100;

/**
 * A location of the panel as one of ours. It begins turned off: country, address and slots are guesses that staff check
 * first.
 */
export function toLocation(
  body: LocationBody,
  nodes: readonly PanelNode[],
): { name: string; description: string; code: string; address: string; slots: number } {
  const host = nodes.map(({ fqdn }) => fqdn.toLowerCase()).find((fqdn) => HOST.test(fqdn) && fqdn.length <= 253);
  return { ...locationTexts(body), code: countryIn(body.name), address: host ?? '', slots: SLOTS };
}
/** Name and description of a location as ours has them. */
export function locationTexts(body: LocationBody): { name: string; description: string } {
  return { name: oneLine(body.name, NAME), description: oneLine(body.description, DESCRIPTION) };
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Codes that are used for a country that has another one, and regions that are none. */
const COUNTRY_ALIASES: Readonly<Record<string, string>> = { UK: 'GB', EU: '', UN: '' };

/** The country that a name such as `de-fra` or `us.nyc` begins with; '' where it says none. */
function countryIn(name: string): string {
  const code = /^([A-Za-z]{2})(?![A-Za-z])/.exec(name)?.[1]?.toUpperCase() ?? '';
  if (code === '' || COUNTRY_ALIASES[code] !== undefined) return COUNTRY_ALIASES[code] ?? '';
  return regions.of(code) === undefined ? '' : code;
}

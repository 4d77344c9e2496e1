import * as z from 'zod/mini';
import type { FormFailure } from '#client/lib/form-action.ts';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import type { VariableView, WaitView } from '#shared/contract/server-views.ts';
import type { ErrorCode, FieldErrors } from '#shared/errors.ts';
import { wholeNumber } from '#shared/schemas/primitives.ts';
import { serverDescription, serverName, serverResources } from '#shared/schemas/server.ts';
import { SERVER_KINDS, remainingOf } from './parts.tsx';
import type { Amounts, Meters, ServerKind } from './parts.tsx';

/** The parts of the API's response that the form needs. */
export interface Egg {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly shape: string;
  readonly hue: number;
  readonly min_memory: number;
  readonly min_disk: number;
  readonly min_cpu: number;
  readonly vip_only: boolean;
  readonly available: boolean;
  readonly reason: string | null;
  /** No game process runs for it. */
  readonly simulated: boolean;
  /** How many fit at the chosen location; absent until it is known. */
  readonly left?: number;
  readonly variables: readonly VariableView[];
}
export interface Category {
  readonly id: string;
  readonly name: string;
  /** Id of the picture beside its name; '': none. */
  readonly picture: string;
  readonly eggs: readonly Egg[];
}
export interface Location {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly slots_free: number;
  readonly vip_only: boolean;
  readonly available: boolean;
  readonly reason: string | null;
  /** Its servers are on the built-in panel, where no game process runs. */
  readonly embedded: boolean;
  /** How many wait for capacity, the estimated seconds for a newcomer (null: unknown), and the user's own entry. */
  readonly waiting: number;
  readonly estimate_s: number | null;
  readonly wait: WaitView | null;
}
export interface Options {
  readonly locations: readonly Location[];
  readonly categories: readonly Category[];
  readonly meters: Meters;
}

/**
 * What the form sends. One radio button names category and egg together (`<category>.<egg>`), and variables carry their
 * egg's id (`variables.<egg>.<NAME>`): so the form is unambiguous without scripts too, where the variables shown are
 * those of the egg chosen before; the defaults are used if another one is chosen.
 */
export const createForm = z.strictObject({
  name: serverName,
  description: serverDescription,
  location_id: z.string().check(z.minLength(1)),
  egg: z.string().check(z.minLength(1)),
  ...serverResources,
  variables: z.record(z.string(), z.string().check(z.maxLength(1000))),
  auto_renew: z.boolean(),
  /** The price due now, as shown. */
  price: z.optional(wholeNumber(0, 1_000_000_000)),
});
type CreateForm = z.output<typeof createForm>;

/** The value of an egg's radio button. */
export function eggValue(categoryId: string, eggId: string): string {
  return `${categoryId}.${eggId}`;
}

/** The field of an egg's variable. */
export function variableField(eggId: string, env: string): string {
  return `variables.${eggId}.${env}`;
}

/** Converts the form to the API's request body. */
export function toRequestBody({ egg, variables, ...rest }: CreateForm) {
  const [category_id = '', egg_id = ''] = egg.split('.');
  const own = Object.entries(variables).filter(([name]) => name.startsWith(`${egg_id}.`));
  return {
    ...rest,
    category_id,
    egg_id,
    variables: Object.fromEntries(own.map(([name, value]) => [name.slice(egg_id.length + 1), value])),
  };
}

/** The fields of refusals for which the API names none. */
const FIELD_OF: Partial<Record<ErrorCode, string>> = {
  LOCATION_UNAVAILABLE: 'location_id',
  LOCATION_FULL: 'location_id',
  EGG_UNAVAILABLE: 'egg',
  MACHINE_CLOSED: 'egg',
  EGG_CATEGORY_MISMATCH: 'egg',
};

/** Maps the fields of a refusal to those of this form; what has no field here (server slots) stays a general error. */
export function toFormFields(failure: FormFailure): FormFailure {
  const eggId = failure.values.egg?.split('.')[1] ?? '';
  const fields: FieldErrors = {};
  for (const [field, codes] of Object.entries(failure.fields)) {
    if (field === 'slots') continue;
    const own = field === 'egg_id' || field === 'category_id' ? 'egg' : field;
    const env = /^variables\.([A-Z][A-Z0-9_]*)$/.exec(own)?.[1];
    fields[env ? variableField(eggId, env) : own] = codes;
  }
  const generalField = FIELD_OF[failure.code];
  if (generalField) fields[generalField] = ['UNAVAILABLE'];
  return { ...failure, fields };
}

/** The state of the form. */
export interface Draft {
  readonly name: string;
  readonly location: string;
  /** The location was chosen by the user, not by default. */
  readonly chosenByUser: boolean;
  readonly egg: string;
  readonly amounts: Amounts;
}

/** A chosen egg with its category. */
export interface Choice {
  readonly category: Category;
  readonly egg: Egg;
}

/** Every egg with its category, in the order shown. */
export function choices(categories: readonly Category[]): readonly Choice[] {
  return categories.flatMap((category) => category.eggs.map((egg) => ({ category, egg })));
}

/** The egg that a radio button's value names. */
export function findChoice(categories: readonly Category[], value: string): Choice | null {
  return choices(categories).find(({ category, egg }) => eggValue(category.id, egg.id) === value) ?? null;
}

/** Minimum and maximum of a resource for a new server: the product's and the egg's minimum, and what is free. */
export function amountBounds(kind: ServerKind, egg: Egg | null, meters: Meters): { min: number; max: number } {
  const own = egg
    ? { memory: egg.min_memory, disk: egg.min_disk, cpu: egg.min_cpu, ports: 0, databases: 0, backups: 0 }[kind]
    : 0;
  return { min: Math.max(SERVER_MINIMUM[kind], own), max: remainingOf(meters[kind]) };
}

/** Resources of which not even the minimum is free. */
export function insufficientKinds(egg: Egg | null, meters: Meters): readonly ServerKind[] {
  return SERVER_KINDS.filter((kind) => {
    const { min, max } = amountBounds(kind, egg, meters);
    return max < min;
  });
}

/** The first resource of which too little is free for an egg, and how much is missing; null if it fits. */
export function findShortage(egg: Egg, meters: Meters): { kind: ServerKind; amount: number } | null {
  const [kind] = insufficientKinds(egg, meters);
  if (!kind) return null;
  const { min, max } = amountBounds(kind, egg, meters);
  return { kind, amount: min - max };
}

/** Step sizes of the sliders, coarse to fine. */
const STEPS = { memory: [128, 64, 32, 16, 8, 4, 2, 1], disk: [256, 128, 64, 32, 16, 8, 4, 2, 1], cpu: [5, 1] } as const;

/** The coarsest step that reaches both bounds. */
export function sliderStep(kind: ServerKind, min: number, max: number): number {
  if (kind !== 'memory' && kind !== 'disk' && kind !== 'cpu') return 1;
  return STEPS[kind].find((step) => (max - min) % step === 0) ?? 1;
}

/**
 * The initial amounts: of memory, disk and CPU an equal share of what is free per free slot, never below the minimum;
 * of countable resources the minimum.
 */
export function initialAmounts(egg: Egg | null, meters: Meters): Amounts {
  const slots = Math.max(1, remainingOf(meters.slots));
  const share = (kind: 'memory' | 'disk' | 'cpu'): number => {
    const { min, max } = amountBounds(kind, egg, meters);
    const step = sliderStep(kind, min, max);
    return Math.max(min, min + Math.floor((max / slots - min) / step) * step);
  };
  return {
    memory: share('memory'),
    disk: share('disk'),
    cpu: share('cpu'),
    ports: SERVER_MINIMUM.ports,
    databases: 0,
    backups: 0,
  };
}

/** The amounts after another egg was chosen: raised to its minimum. */
export function raiseToMinimum(amounts: Amounts, egg: Egg | null, meters: Meters): Amounts {
  const raised = SERVER_KINDS.map(
    (kind) => [kind, Math.max(amounts[kind], amountBounds(kind, egg, meters).min)] as const,
  );
  return { ...amounts, ...Object.fromEntries(raised) };
}

/** Whether every amount lies between its bounds. */
export function amountsFit(amounts: Amounts, egg: Egg | null, meters: Meters): boolean {
  return SERVER_KINDS.every((kind) => {
    const { min, max } = amountBounds(kind, egg, meters);
    return Number.isInteger(amounts[kind]) && amounts[kind] >= min && amounts[kind] <= max;
  });
}

/** The initial draft: the values to restore after a refusal, otherwise the first available location and software. */
export function initialDraft(options: Options, given: Readonly<Record<string, string>>): Draft {
  const { locations, categories, meters } = options;
  const usable = choices(categories).find(({ egg }) => egg.available && findShortage(egg, meters) === null);
  const choice = findChoice(categories, given.egg ?? '') ?? usable ?? null;
  const first = initialAmounts(choice?.egg ?? null, meters);
  const amounts = SERVER_KINDS.map(
    (kind) => [kind, /^\d{1,9}$/.test(given[kind] ?? '') ? Number(given[kind]) : first[kind]] as const,
  );
  return {
    name: given.name ?? '',
    location: given.location_id ?? locations.find((location) => location.available)?.id ?? '',
    chosenByUser: given.location_id !== undefined,
    egg: choice ? eggValue(choice.category.id, choice.egg.id) : '',
    amounts: { ...first, ...Object.fromEntries(amounts) },
  };
}

/** The waiting-list request of a draft: software and amounts; null while no software is chosen. */
export function toWaitRequest({
  egg,
  amounts,
}: Draft): { egg_id: string; memory: number; disk: number; ports: number } | null {
  const egg_id = egg.split('.')[1] ?? '';
  return egg_id === '' ? null : { egg_id, memory: amounts.memory, disk: amounts.disk, ports: amounts.ports };
}

/** The location to use instead of a default one that turned out to be full for this draft; null to keep it. */
export function alternativeLocation({ location, chosenByUser }: Draft, locations: readonly Location[]): string | null {
  if (chosenByUser || locations.some(({ id, available }) => id === location && available)) return null;
  return locations.find(({ available }) => available)?.id ?? null;
}

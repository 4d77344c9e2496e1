import { uncheckedRules } from '#shared/egg-rules.ts';
import type { ChangeKind, ChangePart, OfferState } from '#shared/panel-codes.ts';
import type { PanelEgg } from '../servers/index.ts';
import type { Offer, SeenOffer } from './ports.ts';

export interface LocationBody {
  readonly name: string;
  readonly description: string;
}
export type EggBody = Omit<PanelEgg, 'id'>;
type Variable = EggBody['variables'][number];

/**
 * A list of the panel as it is kept. In: a hash of a text. The bodies are built in a fixed order, so that equal ones
 * have equal hashes.
 */
export function offersOf(
  hash: (text: string) => string,
  read: { readonly locations: readonly (LocationBody & { readonly id: string })[]; readonly eggs: readonly PanelEgg[] },
): Record<'location' | 'nest' | 'egg', SeenOffer[]> {
  const make = (
    kind: SeenOffer['kind'],
    ref: string,
    name: string,
    parent: string | null,
    body: unknown,
  ): SeenOffer => ({ kind, ref, name, parent, body, hash: hash(JSON.stringify(body)) });
  const nests = new Map(read.eggs.map(({ nest }) => [nest.id, nest.name]));
  return {
    location: read.locations.map(({ id, name, description }) =>
      make('location', id, name, null, { name, description } satisfies LocationBody),
    ),
    nest: [...nests].map(([id, name]) => make('nest', id, name, null, { name })),
    egg: read.eggs.map((egg) => make('egg', egg.id, egg.name, egg.nest.id, eggBody(egg))),
  };
}

function eggBody({ nest, uuid, name, description, dockerImages, startup, variables }: PanelEgg): EggBody {
  return {
    nest: { id: nest.id, name: nest.name },
    uuid,
    name,
    description,
    dockerImages: dockerImages.map(({ label, image }) => ({ label, image })),
    startup,
    variables: variables.map((each) => ({
      env: each.env,
      name: each.name,
      description: each.description,
      defaultValue: each.defaultValue,
      rules: each.rules,
      viewable: each.viewable,
      editable: each.editable,
    })),
  };
}

/** The body of an offer: what we wrote ourselves. */
export const locationBodyOf = (offer: Offer): LocationBody => offer.body as LocationBody;
export const eggBodyOf = (offer: Offer): EggBody => offer.body as EggBody;
export const importedEgg = (offer: Offer): EggBody | null => offer.taken as EggBody | null;
export const importedLocation = (offer: Offer): LocationBody | null => offer.taken as LocationBody | null;
/** The egg category that a nest became; null where it was none. */
export const categoryOf = (offer: Offer): string | null =>
  (offer.taken as { category: string } | null)?.category ?? null;

/**
 * How an offer stands to what is here. `linked`: something of ours is bound to it. What was taken over and deleted here
 * since is new again.
 */
export function stateOf(offer: Pick<Offer, 'hash' | 'takenHash' | 'vanishedMs'>, linked: boolean): OfferState {
  if (offer.vanishedMs !== null) return 'vanished';
  if (!linked) return 'fresh';
  return offer.takenHash === null || offer.takenHash === offer.hash ? 'current' : 'changed';
}

export interface Change {
  readonly part: ChangePart;
  readonly kind: ChangeKind;
  readonly subject: string | null;
  readonly before: string | null;
  readonly after: string | null;
}
const change = (part: ChangePart, before: string, after: string): Change[] =>
  before === after ? [] : [{ part, kind: 'changed', subject: null, before, after }];

/** What the panel changed of an egg since it was taken over: name, description, start command, images, each variable. */
export function eggChanges(before: EggBody, after: EggBody): Change[] {
  return [
    ...change('name', before.name, after.name),
    ...change('description', before.description, after.description),
    ...change('startup', before.startup, after.startup),
    ...change('images', imagesText(before), imagesText(after)),
    ...variableChanges(before.variables, after.variables),
  ];
}
export function locationChanges(before: LocationBody, after: LocationBody): Change[] {
  return [...change('name', before.name, after.name), ...change('description', before.description, after.description)];
}

const imagesText = ({ dockerImages }: EggBody): string => dockerImages.map(({ image }) => image).join('\n');

/** A variable in one text, so that any difference shows. */
const variableText = ({ name, description, defaultValue, rules, viewable, editable }: Variable): string =>
  [
    name,
    description,
    `default_value: ${defaultValue}`,
    `rules: ${rules}`,
    `user_viewable: ${viewable}`,
    `user_editable: ${editable}`,
  ]
    .filter(Boolean)
    .join('\n');

function variableChanges(before: readonly Variable[], after: readonly Variable[]): Change[] {
  const old = new Map(before.map((each) => [each.env, variableText(each)]));
  const now = new Map(after.map((each) => [each.env, variableText(each)]));
  const subject = (env: string) => ({ part: 'variable' as const, subject: env });
  return [
    ...[...now].flatMap(([env, text]): Change[] => {
      const was = old.get(env);
      if (was === undefined) return [{ ...subject(env), kind: 'added', before: null, after: text }];
      return was === text ? [] : [{ ...subject(env), kind: 'changed', before: was, after: text }];
    }),
    ...[...old]
      .filter(([env]) => !now.has(env))
      .map(([env, text]): Change => ({ ...subject(env), kind: 'removed', before: text, after: null })),
  ];
}

/** Rules that nobody here can check: the panel alone does. */
export function leftToPanel(body: EggBody): { env: string; rule: string }[] {
  return body.variables.flatMap(({ env, rules }) => uncheckedRules(rules).map((rule) => ({ env, rule })));
}

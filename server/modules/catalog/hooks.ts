import { matchPattern } from '#shared/egg-matcher.ts';
import { checkRules, uncheckedRules } from '#shared/egg-rules.ts';
import { fieldError } from '#shared/errors.ts';
import type { CategoryInput } from '#shared/resources/egg-categories.ts';
import type { EggInput } from '#shared/resources/eggs.ts';
import type { LocationInput } from '#shared/resources/locations.ts';
import type { EggVariable } from '#shared/schemas/egg.ts';
import type { CrudHooks, CrudValues } from '../crud/index.ts';
import type { Tx } from '../tx.ts';

/** The picture of an egg or a category is one that was drawn for its kind. What it had before stays. */
async function assertPicture(
  tx: Tx,
  kind: 'egg' | 'category',
  picture: string | undefined,
  before: unknown,
): Promise<void> {
  if (picture === undefined || picture === '' || picture === before) return;
  // It is not removed meanwhile.
  await tx.settings.lock();
  if ((await tx.pictures.kindOf(picture)) !== kind) throw fieldError('picture', 'UNAVAILABLE');
}

/** An egg has to stand in a category that exists. */
async function categoryExists(tx: Tx, input: EggInput): Promise<Record<string, never>> {
  if (!(await tx.catalog.category(input.category_id))) throw fieldError('category_id', 'UNKNOWN');
  return {};
}

/**
 * A rule that cannot be read is far more often a slip than something only a panel knows. One that came with an imported
 * egg stays.
 */
function assertVariables(input: EggInput, before: readonly EggVariable[]): void {
  const known = new Set(before.map(({ env, rules }) => `${env} ${rules}`));
  for (const [at, { env, rules }] of input.variables.entries()) {
    if (!known.has(`${env} ${rules}`) && uncheckedRules(rules).length > 0)
      throw fieldError(`variables.${at}.rules`, 'INVALID');
  }
}

/**
 * A default that its own pattern does not take; the other rules are the schema's. One that the player fills in may be
 * empty.
 */
function assertDefaults({ variables }: EggInput): void {
  for (const [at, { rules, default_value: value, user_editable: editable }] of variables.entries()) {
    if (!(editable && value === '') && checkRules(rules, value, matchPattern).code)
      throw fieldError(`variables.${at}.default_value`, 'RULE_FAILED');
  }
}

/** What eggs add to the generic handlers. */
export const eggHooks: CrudHooks<EggInput, EggInput> = {
  topics: ['catalog'],
  async beforeCreate(tx, input) {
    assertVariables(input, []);
    assertDefaults(input);
    await assertPicture(tx, 'egg', input.picture, '');
    return categoryExists(tx, input);
  },
  async beforeUpdate(tx, input, before) {
    assertVariables(input, Array.isArray(before.variables) ? (before.variables as EggVariable[]) : []);
    assertDefaults(input);
    await assertPicture(tx, 'egg', input.picture, before.picture);
    return categoryExists(tx, input);
  },
  // Its offer at the panel is new again.
  beforeDelete: (tx, row) => tx.panels.unbindEgg(String(row.id)),
  async options(tx) {
    const categories = await tx.catalog.categories();
    return { category_id: categories.map(({ id, name }) => ({ value: id, label: name })) };
  },
};

/** What egg categories add: their picture; and whoever keeps a copy hears of them. */
export const categoryHooks: CrudHooks<CategoryInput, CategoryInput> = {
  topics: ['catalog'],
  async beforeCreate(tx, { picture }) {
    await assertPicture(tx, 'category', picture, '');
    return {};
  },
  async beforeUpdate(tx, { picture }, before) {
    await assertPicture(tx, 'category', picture, before.picture);
    return {};
  },
};

/**
 * A location stands at a place that a panel has told of. What was chosen before stays, even where the panel has it no
 * more.
 */
async function placeExists(
  tx: Tx,
  { panel_id: panelId = null, panel_location: place = null }: Partial<LocationInput>,
  before: CrudValues | null,
): Promise<CrudValues> {
  if (panelId === null && place === null) return {};
  if (panelId === null || place === null) throw fieldError('panel_id', 'INVALID');
  if (before?.panel_id === panelId && before.panel_location === place) return {};
  // Held until the location is written, so that the panel is not removed meanwhile.
  if (!(await tx.panels.lock(panelId))) throw fieldError('panel_id', 'UNKNOWN');
  if (!(await tx.panels.listPlaces()).some((each) => each.panelId === panelId && each.ref === place))
    throw fieldError('panel_id', 'UNKNOWN');
  return {};
}

/** What locations add: the panel they stand at, and the places there are. */
export const locationHooks: CrudHooks<LocationInput, LocationInput> = {
  topics: ['catalog'],
  beforeCreate: (tx, input) => placeExists(tx, input, null),
  beforeUpdate: (tx, input, before) => placeExists(tx, input, before),
  async options(tx) {
    const places = await tx.panels.listPlaces();
    return {
      panel_id: places.map(({ panelId, panel, ref, name }) => ({
        value: `${panelId}:${ref}`,
        label: `${panel}: ${name}`,
      })),
    };
  },
};

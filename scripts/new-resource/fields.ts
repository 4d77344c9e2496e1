/** Kinds of fields that an area can begin with. */
export const TYPES = ['text', 'long', 'number', 'credits', 'switch', 'date', 'ref'] as const;
export type FieldType = (typeof TYPES)[number];

export interface FieldSpec {
  /** As the row has it: `position`; `closes_at` for a date; `category_id` for a reference. */
  readonly name: string;
  readonly type: FieldType;
  readonly optional: boolean;
  /** For a reference: the area it leads to (`egg-categories`), and the field with that row's name (`category`). */
  readonly target?: string;
  readonly shownAs?: string;
}

/** Longest name of a row, and longest of its other texts. */
export const NAME_MAX = 80;
export const TEXT_MAX = 255;
export const LONG_MAX = 1000;
/** Highest number and most credits a field begins with. */
export const NUMBER_MAX = 1_000_000;

/** Columns that every area has, and names that mean something else in a definition. */
const TAKEN = new Set(['id', 'created_at', 'updated_at', 'created_ms', 'updated_ms']);

/** In: `name:text`, `description:long?`, `category:ref:egg-categories?`. Throws with what is wrong. */
function parseField(given: string): FieldSpec {
  const optional = given.endsWith('?');
  const [name = '', type = '', target] = given.replace(/\?$/, '').split(':');
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name)) throw new Error(`not a name in small letters: ${given}`);
  if (TAKEN.has(name)) throw new Error(`every area has ${name} already`);
  const known = TYPES.find((each) => each === type);
  if (!known) throw new Error(`${given}: the type of a field is one of ${TYPES.join(', ')}`);
  if ((known === 'ref') !== (target !== undefined))
    throw new Error(`${given}: a reference, and only one, says where it leads (category:ref:egg-categories)`);
  if (known === 'date' && !optional) throw new Error(`${given}: a date may always be left out (${given}?)`);
  if (known === 'ref' && target) return { name: `${name}_id`, type: known, optional, target, shownAs: name };
  return { name: known === 'date' ? `${name.replace(/_at$/, '')}_at` : name, type: known, optional };
}

/** Reads the fields of the command line. Throws where one is wrong, twice, or no text names the rows. */
export function parseFields(given: readonly string[]): readonly FieldSpec[] {
  const fields = given.map(parseField);
  const names = fields.flatMap(({ name, shownAs }) => [name, ...(shownAs ? [shownAs] : [])]);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice) throw new Error(`${twice} is there twice`);
  titleOf(fields);
  return fields;
}

/** The field that names a row: the first text that has to be filled. */
export function titleOf(fields: readonly FieldSpec[]): FieldSpec {
  const title = fields.find(({ type, optional }) => type === 'text' && !optional);
  if (!title) throw new Error('one field has to name the rows: name:text');
  return title;
}

/** The name of an area in its spellings. */
export interface Names {
  /** `mail-templates`: files and addresses. */
  readonly kebab: string;
  /** `mailTemplates`: code, routes, file of texts. */
  readonly camel: string;
  /** `mail_templates`: the table. */
  readonly snake: string;
  /** `admin.mail.templates`: what its permissions begin with. */
  readonly permission: string;
}

/** In: the area's name as a word of an address, plural. Throws where it is none. */
export function namesOf(kebab: string, permission = `admin.${kebab.replaceAll('-', '.')}`): Names {
  if (!/^[a-z]+(?:-[a-z]+)*$/.test(kebab)) throw new Error(`not a name in small letters and dashes: ${kebab}`);
  return {
    kebab,
    camel: kebab.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    snake: kebab.replaceAll('-', '_'),
    permission,
  };
}

/** `egg-categories` → `eggCategories`. */
export const camelOf = (kebab: string): string => namesOf(kebab).camel;

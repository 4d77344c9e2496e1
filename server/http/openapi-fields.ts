import { RESOURCE_KINDS } from '#shared/constants.ts';
import { isoTime } from '#shared/schemas/primitives.ts';

/** What fields of one name are in every call that has them. */
const BY_NAME: Readonly<Record<string, string>> = {
  id: 'Its id.',
  username: 'The name that a user logs in with and is known by.',
  email: 'An e-mail address.',
  credits: 'Whole credits.',
  balance: 'Whole credits that can be spent.',
  debt: 'Whole credits that are owed: what comes in pays them first.',
  currency: 'ISO 4217, as `EUR`.',
  locale: 'A language, as `en`.',
  time_zone: 'An IANA name, as `Europe/Bucharest`.',
  paging: 'Where this page is in the list.',
  page: 'Page number, from 1.',
  per_page: 'Rows on a page.',
  older: 'The cursor of the next page; null: there is none.',
  revision: 'Goes up with each change. Send what you read: a change that would overwrite another is refused.',
  bytes: 'Bytes.',
  memory: 'Memory in MB.',
  disk: 'Disk space in MB.',
  cpu: 'Percent of one core of the processor.',
  slots: 'How many servers.',
  ports: 'How many ports.',
  databases: 'How many databases.',
  backups: 'How many backups.',
  created_at: 'When it was made.',
  updated_at: 'When it was changed last.',
  expires_at: 'When it ends.',
};
/** Kinds of resources: a number of theirs is an amount; other fields of these names are lists and objects. */
const AMOUNTS: ReadonlySet<string> = new Set(RESOURCE_KINDS);

/** What the end of a name says: its unit. */
const BY_END: readonly (readonly [end: RegExp, says: string])[] = [
  [/_ms$/, 'Milliseconds.'],
  [/_s$/, 'Seconds.'],
  [/_minutes$/, 'Minutes.'],
  [/_hours$/, 'Hours.'],
  [/_days$/, 'Days.'],
  [/_bytes$/, 'Bytes.'],
  [/_minor$/, 'Money in the smallest unit of its currency, as cents.'],
  [/_percent$/, 'Percent.'],
  [/_url$/, 'A web address.'],
];
/** `location_id` is the id of a location. */
const ID_OF = /^(.+)_id$/;

interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}
/** Whether a field is, or may be, of a plain type. */
const isPlain = ({ type, anyOf }: Schema, types: readonly string[]): boolean =>
  anyOf?.some((each) => isPlain(each, types)) ??
  (Array.isArray(type) ? type : [type]).some((each) => types.includes(String(each)));

/**
 * What a field of the API is, as far as its name says it: what is called alike is alike in every call. In: its name and
 * its schema. Undefined: nothing that the name would not say by itself.
 */
export function describeField(name: string, schema: Schema): string | undefined {
  const isNumber = isPlain(schema, ['integer', 'number']);
  const said = BY_NAME[name];
  if (said !== undefined) return !AMOUNTS.has(name) || isNumber ? said : undefined;
  // Many of them are what each of them is.
  if (schema.items !== undefined && isPlain(schema.items, ['integer', 'number']))
    return BY_END.find(([end]) => end.test(name))?.[1];
  if (!isNumber && !isPlain(schema, ['string'])) return undefined;
  const [, owner] = ID_OF.exec(name) ?? [];
  if (owner !== undefined) return `The id of its ${owner.replaceAll('_', ' ')}.`;
  return BY_END.find(([end]) => end.test(name))?.[1];
}

/** What is written of values of a shared type, whatever the field is called. In: the schema itself, not its JSON. */
export const factsOfType = (schema: unknown): object | undefined =>
  schema === isoTime ? { format: 'date-time' } : undefined;

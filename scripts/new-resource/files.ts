import { camelOf, LONG_MAX, NAME_MAX, NUMBER_MAX, TEXT_MAX, titleOf, type FieldSpec, type Names } from './fields.ts';

/** Place of the area in the navigation of staff. */
export interface Nav {
  readonly group: string;
  readonly order: number;
  readonly icon: string;
}
/** Everything the files are made from. */
export interface Plan {
  readonly names: Names;
  readonly fields: readonly FieldSpec[];
  readonly nav: Nav;
  /** `0040_departments`. */
  readonly migration: string;
  /** The table of an area that is referred to. */
  readonly tableOf: (area: string) => string;
}

/** The definition: the one description of the area and its table. */
export function definitionFile({ names, fields, nav }: Plan): string {
  const title = titleOf(fields);
  const columns = fields.flatMap((field) => columnsOf(field, field === title));
  const builders = [...new Set(columns.map(({ code }) => /^\w+/.exec(code)?.[0] ?? ''))].toSorted();
  const texts = fields.filter(({ type }) => type === 'text' || type === 'long').map(({ name }) => `'${name}'`);
  const sorted = fields.find(({ name, type }) => name === 'position' && type === 'number') ?? title;
  const bulk = switchOf(fields);
  return `import { ${builders.join(', ')} } from './columns.ts';
import { defineResource } from './define.ts';

/** ${sentence(names.kebab)}. */
export const ${names.camel} = defineResource({
  area: '${names.camel}',
  path: '/api/admin/${names.kebab}',
  table: '${names.snake}',
  permission: '${names.permission}',
  nav: { group: '${nav.group}', order: ${nav.order}, icon: '${nav.icon}' },
  columns: {
${columns.map(({ name, code }) => `    ${name}: ${code},`).join('\n')}
  },
  title: '${title.name}',
  search: [${texts.join(', ')}],
  sort: '${sorted.name}',
  unique: [{ fields: ['${title.name}'], field: '${title.name}', code: 'NAME_TAKEN' }],
  bulk: { delete: true${bulk ? `, switch: '${bulk.name}'` : ''} },
});
`;
}

/** `mail-templates` → `Mail templates`. */
export const sentence = (kebab: string): string => {
  const words = kebab.replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
/** The switch that commands on several rows turn: the first one. */
export const switchOf = (fields: readonly FieldSpec[]): FieldSpec | undefined =>
  fields.find(({ type }) => type === 'switch');

/** The columns that a field becomes. */
function columnsOf(field: FieldSpec, title: boolean): { name: string; code: string }[] {
  const { name, type, optional, target = '', shownAs = '' } = field;
  const min = optional ? 0 : 1;
  const code = {
    text: title ? `name(${NAME_MAX})` : `text(${min}, ${TEXT_MAX})`,
    long: `longText(${min}, ${LONG_MAX}, { list: {} })`,
    number: optional
      ? `optionalNumber(0, ${written(NUMBER_MAX)})`
      : name === 'position'
        ? 'position()'
        : `number(0, ${written(NUMBER_MAX)})`,
    credits: `credits(0, ${written(NUMBER_MAX)})`,
    switch: 'onOff(true)',
    date: `moment('${name.replace(/_at$/, '_ms')}')`,
    ref: `${optional ? 'optionalReference' : 'reference'}('${target ? camelOf(target) : ''}')`,
  }[type];
  return [{ name, code }, ...(type === 'ref' ? [{ name: shownAs, code: `nameOf('${name}')` }] : [])];
}
const written = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, '_');

/** The entry of the area's migration, for server/data/migrations/areas.ts. */
export function migrationEntry({ names, fields, migration, tableOf }: Plan): string {
  const title = titleOf(fields).name;
  const column = ({ name, type, optional, target = '' }: FieldSpec): string =>
    ({
      text: `${name} TEXT NOT NULL`,
      long: `${name} TEXT NOT NULL`,
      number: `${name} INTEGER${optional ? '' : ' NOT NULL'}`,
      credits: `${name} INTEGER NOT NULL CHECK (${name} >= 0)`,
      switch: `${name} INTEGER NOT NULL CHECK (${name} IN (0, 1))`,
      date: `${name.replace(/_at$/, '_ms')} INTEGER`,
      ref: `${name} TEXT${optional ? '' : ' NOT NULL'} REFERENCES ${target ? tableOf(camelOf(target)) : ''} (id)`,
    })[type];
  return `  table('${migration}', [
    \`CREATE TABLE ${names.snake} (
      id TEXT NOT NULL PRIMARY KEY,
${fields.map((field) => `      ${column(field)},`).join('\n')}
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    )STRICT\`,
    'CREATE UNIQUE INDEX ${names.snake}_${title} ON ${names.snake} (lower(${title}))',
${fields
  .filter(({ type }) => type === 'ref')
  .map(({ name }) => `    'CREATE INDEX ${names.snake}_${name} ON ${names.snake} (${name})',\n`)
  .join('')}  ]),
`;
}

/** The suite of the area: everything that areas promise, on both engines. */
export function suiteFile({ names, fields }: Plan): string {
  const title = titleOf(fields);
  const references = fields.filter(({ type }) => type === 'ref');
  const text = fields.find(({ name, type }) => type === 'long' || (type === 'text' && name !== title.name)) ?? title;
  const bulk = switchOf(fields);
  const [free] = fields.filter(({ type }) => type === 'number' || type === 'credits');
  const change = [
    ...(text === title ? [] : [`${text.name}: 'Changed'`]),
    ...(free ? [`${free.name}: 77`] : []),
    ...(bulk ? [`${bulk.name}: false`] : []),
  ];
  const prepare = `      prepare: async (world) =>
        new Map([${references.map(({ name, target = '' }) => `['${name}', await addRow(world, RESOURCES.${camelOf(target)})]`).join(', ')}]),
`;
  return `import { describe } from 'bun:test';
${references.length > 0 ? `import { RESOURCES } from '#shared/resources/index.ts';\n` : ''}import { ${names.camel} } from '#shared/resources/${names.kebab}.ts';
import { ENGINES } from '#tests/support/db.ts';
${references.length > 0 ? `import { addRow } from '../crud-support.ts';\n` : ''}import { crudSuite } from '../crud-suite.ts';

describe.each(ENGINES)('${sentence(names.kebab).toLowerCase()} (%s)', (engine) => {
  crudSuite(
    ${names.camel},
    {
      input: (n${references.length > 0 ? ', _, made' : ''}) => ({
${fields.map((field) => `        ${field.name}: ${sampleOf(field, field === title)},`).join('\n')}
      }),
${references.length > 0 ? prepare : ''}      change: { ${(change.length > 0 ? change : [`${title.name}: 'Changed'`]).join(', ')} },
      bad: [
        [{ ${title.name}: '' }, '${title.name}', 'REQUIRED'],
        [{ ${title.name}: 'a'.repeat(${NAME_MAX + 1}) }, '${title.name}', 'TOO_LONG'],
      ],
      unique: { field: '${title.name}', code: 'NAME_TAKEN' },
      depend: {},
      text: '${text.name}',
    },
    engine,
  );
});
`;
}

/** A good value of a field, as code; `n` makes it another one. */
function sampleOf({ name, type }: FieldSpec, title: boolean): string {
  if (title) return "`Row ${String(n).padStart(2, '0')}`";
  return {
    text: '`No. ${n}`',
    long: '`No. ${n}`',
    number: '(n * 5) % 7',
    credits: '10 + n',
    switch: 'n % 2 === 0',
    date: `n % 2 === 0 ? null : \`2027-01-0\${(n % 9) + 1}T00:00:00.000Z\``,
    ref: `made.get('${name}')`,
  }[type];
}

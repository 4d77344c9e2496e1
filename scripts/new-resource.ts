import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PERMISSIONS } from '#shared/permissions.ts';

/**
 * `bun scripts/new-resource.ts departments --permission admin.departments`: begins an admin area. Writes its schema,
 * definition, table map, migration, screens and test, and prints the lines that the registries need. From then on the
 * files are yours. In: the area's name as one word of a route (`mail-templates`), plural. `--root` for another
 * checkout.
 */
const VERBS = ['list', 'create', 'edit', 'delete'] as const;

interface Names {
  /** `mail-templates`: files and addresses. */
  readonly kebab: string;
  /** `mailTemplates`: code. */
  readonly camel: string;
  /** `MailTemplates`. */
  readonly pascal: string;
  /** `mail_templates`: the table. */
  readonly snake: string;
  readonly permission: string;
}

function namesOf(kebab: string, permission: string): Names {
  const camel = kebab.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return {
    kebab,
    camel,
    pascal: `${camel[0]?.toUpperCase() ?? ''}${camel.slice(1)}`,
    snake: kebab.replaceAll('-', '_'),
    permission,
  };
}

const schema = (n: Names): string => `import * as z from 'zod/mini';
import { position } from './location.ts';
import { id, line, lines, when } from './primitives.ts';

export const ${n.camel}Input = z.strictObject({ name: line(1, 60), description: lines(0, 255), enabled: z.boolean(), position });
export const ${n.camel}Row = z.object({ id, name: z.string(), description: z.string(), enabled: z.boolean(), position: z.int(), created_at: when, updated_at: when });
`;

const definition = (n: Names): string => `import { ${n.camel}Input, ${n.camel}Row } from '../schemas/${n.kebab}.ts';
import { defineResource } from './types.ts';

export const ${n.camel} = defineResource({
  area: '${n.camel}',
  path: '/api/admin/${n.kebab}',
  permission: '${n.permission}',
  operations: ['list', 'create', 'edit', 'delete'],
  row: ${n.camel}Row,
  create: ${n.camel}Input,
  update: ${n.camel}Input,
  title: 'name',
  columns: {
    name: { format: 'text', sort: 'asc' },
    description: { format: 'text', wrap: true },
    enabled: { format: 'switch' },
    position: { format: 'number', sort: 'asc', hideOnPhone: true },
  },
  groups: { basics: {} },
  fields: {
    name: { kind: 'text', group: 'basics' },
    description: { kind: 'textarea', group: 'basics', rows: 2 },
    position: { kind: 'number', group: 'basics' },
    enabled: { kind: 'switch', group: 'basics' },
  },
  defaults: { enabled: true, position: 0 },
  filters: { enabled: { options: 'switch' } },
  search: ['name', 'description'],
  sort: 'position',
  dependants: {},
  bulk: { delete: true, switch: 'enabled' },
});
`;

const table = (n: Names): string => `import { ${n.camel} } from '#shared/resources/${n.kebab}.ts';
import { COMMON, mapTable } from './map.ts';

export const ${n.camel}Table = mapTable(${n.camel}, '${n.snake}', {
  columns: {
    ...COMMON,
    name: { column: 'name', type: 'name' },
    description: { column: 'description', type: 'text' },
    enabled: { column: 'enabled', type: 'bit' },
    position: { column: 'position', type: 'int' },
  },
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: {},
});
`;

const migration = (n: Names, name: string): string => `import { bit, define, type Migration } from './migration.ts';

export const ${n.camel}: Migration = {
  name: '${name}',
  up: (step) =>
    define(step, [
      \`CREATE TABLE ${n.snake} (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        description TEXT NOT NULL,
        \${bit('enabled')},
        position INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
      )STRICT\`,
    ]),
};
`;

const screen = (
  n: Names,
  verb: (typeof VERBS)[number],
): string => `import { ${verb}Screen } from '#client/resource/${verb === 'create' || verb === 'edit' ? 'form' : verb}.tsx';
import { ${n.camel} } from '#shared/resources/${n.kebab}.ts';

const screen = ${verb}Screen(${n.camel}, (api) => api.admin${n.pascal});
export const { loader, action${verb === 'edit' || verb === 'delete' ? ', pageName' : ''} } = screen;
export default screen.Screen;
`;

const suite = (n: Names): string => `import { describe } from 'bun:test';
import { ${n.camel} } from '#shared/resources/${n.kebab}.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

describe.each(ENGINES)('${n.kebab} (%s)', (engine) => {
  crudSuite(
    ${n.camel},
    {
      input: (n) => ({ name: \`Row \${String(n).padStart(2, '0')}\`, description: \`No. \${n}\`, enabled: n % 2 === 0, position: (n * 5) % 7 }),
      change: { description: 'Changed', enabled: false, position: 77 },
      bad: [[{ name: '' }, 'name', 'REQUIRED']],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {},
      text: 'description',
    },
    engine,
  );
});
`;

/** The lines that the registries need, one for each. */
const registries = (n: Names, name: string): readonly string[] => [
  `shared/resources/index.ts       RESOURCES: ${n.camel}`,
  `shared/contract/admin.ts        export const admin${n.pascal} = crudContract(${n.camel});`,
  `shared/contract/index.ts        CONTRACT: admin${n.pascal}`,
  `shared/routes/table.ts          ...crudRoutes('${n.camel}', '/mc-admin/${n.kebab}', '${n.permission}', { group: 'hosting', order: 9, icon: 'list' }),`,
  `server/data/schema.ts           interface ${n.pascal} and DB.${n.snake}`,
  `server/data/tables/index.ts     TABLES: ${n.camel}: ${n.camel}Table`,
  `server/data/migrations/list.ts  MIGRATIONS: ${n.camel} (${name})`,
  `server/api/admin/index.ts       admin${n.pascal}: crudHandlers(RESOURCES.${n.camel}, deps),`,
  ...VERBS.map(
    (verb) =>
      `client/app/screens.ts           'admin.${n.camel}.${verb}': () => import('#client/features/admin/${n.kebab}/${verb}.tsx'),`,
  ),
  `tests/api/crud-support.ts       TABLE_NAMES: ${n.camel}: '${n.snake}'`,
  `locales/*/resources.json        "${n.camel}": title, lead, create, createTitle, deleteTitle, search, emptyTitle, emptyText, refused, groups.basics`,
  `locales/*/shell.json            "title.${n.camel}": list, create, edit, delete`,
  `locales/*/admin.json            "activity": ${n.camel}_create, ${n.camel}_edit, ${n.camel}_delete`,
];

/**
 * Writes the files of an area. Out: what was written, and the registry lines. Throws where a name is wrong or a file
 * exists.
 */
export function beginResource(
  root: string,
  kebab: string,
  permission: string,
): { written: readonly string[]; lines: readonly string[] } {
  if (!/^[a-z]+(?:-[a-z]+)*$/.test(kebab)) throw new Error(`not a name in small letters and dashes: ${kebab}`);
  const missing = VERBS.filter((verb) => !PERMISSIONS.some(({ value }) => value === `${permission}.${verb}`));
  if (missing.length > 0)
    throw new Error(`shared/permissions.ts has no ${missing.map((verb) => `${permission}.${verb}`).join(', ')}`);
  const n = namesOf(kebab, permission);
  const folder = join(root, 'server/data/migrations');
  const last = existsSync(folder)
    ? Math.max(0, ...readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0))
    : 0;
  const name = `${String(last + 1).padStart(4, '0')}_${n.snake}`;
  const files: Readonly<Record<string, string>> = {
    [`shared/schemas/${kebab}.ts`]: schema(n),
    [`shared/resources/${kebab}.ts`]: definition(n),
    [`server/data/tables/${kebab}.ts`]: table(n),
    [`server/data/migrations/${name}.ts`]: migration(n, name),
    ...Object.fromEntries(VERBS.map((verb) => [`client/features/admin/${kebab}/${verb}.tsx`, screen(n, verb)])),
    [`tests/api/admin/${kebab}.test.ts`]: suite(n),
  };
  const there = Object.keys(files).filter((file) => existsSync(join(root, file)));
  if (there.length > 0) throw new Error(`these exist already: ${there.join(', ')}`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return { written: Object.keys(files), lines: registries(n, name) };
}

if (import.meta.main) {
  const [kebab = '', ...rest] = process.argv.slice(2);
  const option = (name: string): string | undefined => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined);
  try {
    const { written, lines } = beginResource(
      option('--root') ?? join(import.meta.dir, '..'),
      kebab,
      option('--permission') ?? `admin.${kebab}`,
    );
    console.log(
      `Written:\n${written.map((file) => `  ${file}`).join('\n')}\n\nAdd these lines:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

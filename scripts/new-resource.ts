import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { PERMISSIONS } from '#shared/permissions.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';
import { camelOf, namesOf, parseFields } from './new-resource/fields.ts';
import { definitionFile, migrationEntry, suiteFile, type Plan } from './new-resource/files.ts';
import { textsFile } from './new-resource/texts.ts';

/**
 * `bun scripts/new-resource.ts NAME FIELD:TYPE[?] …` makes an admin area: list, form and delete page, endpoints, table,
 * permissions, texts in every language, and a suite that is green at once. README says more; from then on the files are
 * yours.
 */
export const USAGE = `bun scripts/new-resource.ts NAME FIELD:TYPE[?] … [--group GROUP] [--icon ICON] [--permission PERMISSION]

NAME   plural, as it stands in addresses: departments, mail-templates
TYPE   text, long, number, credits, switch, date, ref:AREA; with ? it may be left out
       The first text that may not names the rows. A field called position orders them.
--group       hosting, people, economy, content (as it is) or system: where the navigation of staff has it
--icon        a name of client/ui/icons-app.ts (list as it is)
--permission  what its permissions begin with, where that is not admin.NAME
`;
const VERBS = ['list', 'create', 'edit', 'delete'] as const;
const GROUPS = ['hosting', 'people', 'economy', 'content', 'system'];

interface Options {
  readonly group?: string | undefined;
  readonly icon?: string | undefined;
  readonly permission?: string | undefined;
}

/**
 * Writes the files of an area and its lines in the registries. In: a checkout, the area, its fields, options. Out: the
 * files that are new or changed. Throws, before anything is written, where something is wrong or exists already.
 */
export function createResource(root: string, name: string, given: readonly string[], options: Options = {}): string[] {
  const names = namesOf(name, options.permission);
  const fields = parseFields(given);
  const areas = readAreas(root);
  for (const { target } of fields)
    if (target && !areas.has(camelOf(target))) throw new Error(`there is no area ${target} to refer to`);
  const { group = 'content', icon = 'list' } = options;
  if (!GROUPS.includes(group)) throw new Error(`a group is one of ${GROUPS.join(', ')}`);
  const plan: Plan = {
    names,
    fields,
    nav: { group, order: 1 + [...areas.values()].filter((each) => each.group === group).length, icon },
    migration: `${nextMigration(root)}_${names.snake}`,
    tableOf: (area) => areas.get(area)?.table ?? '',
  };
  const newPermissions = isNew(names.permission, readText(root, 'shared/permissions.ts'));
  const files: Record<string, string> = {
    [`shared/resources/${name}.ts`]: definitionFile(plan),
    [`tests/api/admin/${name}.test.ts`]: suiteFile(plan),
    ...Object.fromEntries(
      LOCALES.map((locale) => [
        `locales/${locale}/areas/${names.camel}.json`,
        textsFile(locale, {
          names,
          fields,
          newPermissions,
          shared: new Set(Object.keys((readJson(root, locale, 'resources') as { fields: object }).fields)),
          titleOf: (area) => String((readJson(root, locale, `areas/${camelOf(area)}`) as { title: string }).title),
        }),
      ]),
    ),
  };
  const there = Object.keys(files).filter((file) => existsSync(join(root, file)));
  if (there.length > 0) throw new Error(`these exist already: ${there.join(', ')}`);
  const all = { ...files, ...registries(root, plan, newPermissions) };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return Object.keys(all);
}

const readText = (root: string, file: string): string => readFileSync(join(root, file), 'utf8');
const readJson = (root: string, locale: Locale, name: string): unknown =>
  JSON.parse(readText(root, `locales/${locale}/${name}.json`));

/** Areas by name, with their table and their place in the navigation; those that this checkout has gained, too. */
function readAreas(root: string): ReadonlyMap<string, { table: string; group: string }> {
  const known = Object.values<AnyResource>(RESOURCES).map(
    ({ area, table, nav }): [string, { table: string; group: string }] => [area, { table, group: nav.group }],
  );
  const folder = join(root, 'shared/resources');
  const written = readdirSync(folder).flatMap((file): [string, { table: string; group: string }][] => {
    const [, area, table, group] =
      /area: '(\w+)',[\s\S]*table: '(\w+)',[\s\S]*nav: \{ group: '(\w+)'/.exec(readText(folder, file)) ?? [];
    return area && table && group && !file.includes('.test.') ? [[area, { table, group }]] : [];
  });
  return new Map([...known, ...written]);
}

/** The number after that of the last migration, in four digits. */
function nextMigration(root: string): string {
  const files = readdirSync(join(root, 'server/data/migrations'));
  const tables = [...readText(root, 'server/data/migrations/areas.ts').matchAll(/table\('(\d{4})_/g)].map(([, n]) => n);
  const last = Math.max(0, ...[...files, ...tables].map((each) => Number.parseInt(each ?? '', 10) || 0));
  return String(last + 1).padStart(4, '0');
}

/** Whether the catalogue lacks the permissions. Throws where it has some of the four. */
function isNew(permission: string, catalogue: string): boolean {
  if (catalogue.includes(`'${permission}', CRUD)`)) return false;
  const there = VERBS.filter((verb) => PERMISSIONS.some(({ value }) => value === `${permission}.${verb}`));
  if (there.length > 0 && there.length < VERBS.length)
    throw new Error(`of ${permission} the catalogue has only ${there.join(', ')}: an area needs ${VERBS.join(', ')}`);
  return there.length === 0;
}

/**
 * The registries with the area in them: the list of definitions, the migrations, and the permissions where they are
 * new.
 */
function registries(root: string, plan: Plan, newPermissions: boolean): Record<string, string> {
  const { names } = plan;
  const index = 'shared/resources/index.ts';
  const migrations = 'server/data/migrations/areas.ts';
  const permissions = 'shared/permissions.ts';
  return {
    [index]: insertBefore(
      insertBefore(readText(root, index), '} as const;', `  ${names.camel},\n`),
      '\n/** Every admin area',
      `import { ${names.camel} } from './${names.kebab}.ts';\n`,
    ),
    [migrations]: insertBefore(readText(root, migrations).replace('= [];', '= [\n];'), '];\n', migrationEntry(plan)),
    ...(newPermissions
      ? {
          [permissions]: insertBefore(
            readText(root, permissions),
            "  ...single('user',",
            `  ...group('${names.camel}', '${names.permission}', CRUD),\n`,
          ),
        }
      : {}),
  };
}

function insertBefore(text: string, mark: string, added: string): string {
  const at = text.lastIndexOf(mark);
  if (at < 0) throw new Error(`a registry has changed: ${mark.trim()} is not in it any more`);
  return text.slice(0, at) + added + text.slice(at);
}

if (import.meta.main) {
  const root = join(import.meta.dir, '..');
  const args = process.argv.slice(2);
  const option = (name: string): string | undefined => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? undefined : args.splice(at, 2)[1];
  };
  try {
    const options = { group: option('group'), icon: option('icon'), permission: option('permission') };
    const [name, ...fields] = args;
    if (name === undefined || fields.length === 0) throw new Error(USAGE);
    const files = createResource(root, name, fields, options);
    Bun.spawnSync([process.execPath, 'fmt', ...files.filter((file) => file.endsWith('.ts'))], { cwd: root });
    console.log(`${files.length} files:\n${files.map((file) => `  ${file}`).join('\n')}`);
    console.log(`\nNow write the texts in locales/*/areas: what is in quotation marks there is still English.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

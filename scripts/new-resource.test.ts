import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCALES } from '#shared/i18n/locales.ts';
import { createResource } from './new-resource.ts';
import { namesOf, parseFields } from './new-resource/fields.ts';

setDefaultTimeout(240_000);

const ROOT = join(import.meta.dir, '..');
const PARTS = [
  'server',
  'client',
  'shared',
  'scripts',
  'tests',
  'locales',
  'package.json',
  'tsconfig.json',
  'bunfig.toml',
];
const copy = mkdtempSync(join(tmpdir(), 'spawnpoint-resource-'));
/** The areas that every test finds, with what the generator said of each. */
const generated: { line: string; code: number; text: string }[] = [];
beforeAll(async () => {
  for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const line of AREAS) generated.push({ line, ...(await generate(line)) });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a command in the copy. Out: its exit code and what it wrote. */
async function run(...command: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn([process.execPath, ...command], { cwd: copy, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, text: out + err };
}
const generate = (line: string) => run('scripts/new-resource.ts', ...line.split(' '));
const written = ({ text }: { text: string }): string[] =>
  text.split('\n').flatMap((line) => /^ {2}(\S+)$/.exec(line)?.[1] ?? []);
const readCopy = (file: string): string => readFileSync(join(copy, file), 'utf8');

/** Names that no area of the product has. */
const AREAS = [
  'zz-plain name:text description:long? position:number',
  'zz-switch label:text weight:number? price:credits closes:date? on_sale:switch',
  'zz-leaf name:text parent:ref:zz-plain other:ref:zz-switch?',
];

describe('the generator of admin areas', () => {
  test('the generator makes areas with and without a switch, and with references, of which types, form and suites hold at once', async () => {
    for (const { line, ...made } of generated) {
      expect({ line, code: made.code, text: made.code === 0 ? '' : made.text }).toEqual({ line, code: 0, text: '' });
      const files = written(made);
      // With its permissions, which are new: twelve at most. Nothing else was written.
      expect(files.length).toBeLessThanOrEqual(12);
      expect(files).toContain('shared/permissions.ts');
    }
    expect(generated.length).toBe(AREAS.length);
    const [types, format, suites] = await Promise.all([
      run('check'),
      run('fmt', '--check', 'shared/resources', 'server/data/migrations', 'tests/api/admin', 'locales'),
      run('test', 'tests/api/admin/zz-plain', 'tests/api/admin/zz-switch', 'tests/api/admin/zz-leaf'),
    ]);
    expect({ code: types.code, text: types.code === 0 ? '' : types.text }).toEqual({ code: 0, text: '' });
    expect({ code: format.code, text: format.code === 0 ? '' : format.text }).toEqual({ code: 0, text: '' });
    const failed = suites.text.split('\n').filter((line) => line.startsWith('(fail)') || line.startsWith('error:'));
    expect({ failed, code: suites.code }).toEqual({ failed: [], code: 0 });
    expect(suites.text).toContain('across 3 files');
  });

  test('an area whose permissions the catalogue has costs ten files', () => {
    const options = { permission: 'admin.nests' };
    const files = createResource(copy, 'zz-known', ['title:text', 'content:long'], options);
    expect(files).toHaveLength(10);
    expect(files.filter((file) => file.startsWith('locales/'))).toHaveLength(LOCALES.length);
    expect(readCopy('shared/resources/zz-known.ts')).toContain("permission: 'admin.nests'");
    expect(() => createResource(copy, 'zz-known', ['title:text'], options)).toThrow('exist already');
  });

  test('a migration has the number after the last one, and rows that are referred to are kept by the database', () => {
    const numbers = [...readCopy('server/data/migrations/areas.ts').matchAll(/table\('(\d{4})_/g)].map(([, n]) =>
      Number(n),
    );
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(readCopy('server/data/migrations/areas.ts')).toContain('parent_id TEXT NOT NULL REFERENCES zz_plain (id)');
  });

  test('an area’s texts are in every language, and what it cannot translate stands in quotation marks', () => {
    for (const locale of LOCALES) {
      const { title, pages } = JSON.parse(readCopy(`locales/${locale}/areas/zzPlain.json`)) as {
        title: string;
        pages: { create: string };
      };
      expect(title).toContain('Zz plain');
      expect(/^[„«]/.test(title)).toBe(locale !== 'en');
      if (locale !== 'en') expect(pages.create).not.toContain('New');
    }
  });

  test('a name or a field that does not fit is refused before anything is written', () => {
    for (const [name, fields, why] of [
      ['Sponsors', ['name:text'], 'not a name'],
      ['../x', ['name:text'], 'not a name'],
      ['people', ['name:text', 'owner:ref:nobody'], 'no area nobody'],
      ['people', ['name:text', 'name:long'], 'twice'],
      ['people', ['id:text'], 'already'],
      ['people', ['name:text', 'born:date'], 'date'],
      ['people', ['name:text', 'size:float'], 'one of text'],
      ['people', ['size:number'], 'name the rows'],
    ] as const)
      expect(() => createResource(copy, name, fields)).toThrow(why);
    expect(() => createResource(copy, 'people', ['name:text'], { permission: 'admin.users' })).toThrow('only');
    expect(() => createResource(copy, 'people', ['name:text'], { group: 'nowhere' })).toThrow('group');
  });

  test('fields are read from the command line', () => {
    expect(parseFields(['name:text', 'closes:date?', 'parent:ref:egg-categories?'])).toEqual([
      { name: 'name', type: 'text', optional: false },
      { name: 'closes_at', type: 'date', optional: true },
      { name: 'parent_id', type: 'ref', optional: true, target: 'egg-categories', shownAs: 'parent' },
    ]);
    expect(namesOf('mail-templates')).toEqual({
      kebab: 'mail-templates',
      camel: 'mailTemplates',
      snake: 'mail_templates',
      permission: 'admin.mail.templates',
    });
  });
});

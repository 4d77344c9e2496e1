import type { CheckedPanel, ConnectionRegistry, Panels } from '#server/modules/panels/index.ts';
import { DomainError } from '#shared/errors.ts';
import { PANEL_DIALECTS } from '#shared/panel-codes.ts';
import { panelCreateInput } from '#shared/schemas/panel.ts';
import { iso } from '#shared/time.ts';
import { fieldErrors } from '#shared/validation.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = `Usage: spawnpoint panel list
       spawnpoint panel add --name NAME --url ADDRESS --key KEY [--client-key KEY] [--public-url ADDRESS] [--kind pterodactyl|pelican]
       spawnpoint panel test ID
       spawnpoint panel sync ID
KEY may be - once: the key is read from standard input, so that it does not appear on the command line.`;
const OPTIONS = ['name', 'url', 'public-url', 'key', 'client-key', 'kind'];

interface Services {
  readonly panels: Pick<Panels, 'list' | 'create' | 'test' | 'sync' | 'get'>;
  readonly panelModule: { readonly registry: Pick<ConnectionRegistry, 'load'> };
}

/**
 * `spawnpoint panel list | add … | test ID | sync ID`: game panels over HTTP (behaviour 6.7). In: how standard input is
 * read. Out: the exit code (0 fine, 1 refused, failed or a right is missing, 2 used wrongly).
 */
export async function panelCommand(
  services: Services,
  argv: readonly string[],
  stdin: () => Promise<string>,
  output: Output = consoleOutput,
): Promise<number> {
  const [verb, ...rest] = argv;
  try {
    if (verb === 'list' && rest.length === 0) return await list(services, output);
    if (verb === 'add') return await add(services, rest, stdin, output);
    const [id] = rest;
    if ((verb === 'test' || verb === 'sync') && id !== undefined && rest.length === 1)
      return await (verb === 'test' ? test(services, id, output) : sync(services, id, output));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    for (const [field, codes] of Object.entries(error.fields ?? { [error.code]: [] }))
      output.err(`${field}${codes.length > 0 ? `: ${codes.join(', ')}` : ''}`);
    return 1;
  }
  output.err(USAGE);
  return 2;
}

async function list({ panels }: Services, output: Output): Promise<number> {
  const rows = await panels.list();
  if (rows.length === 0) output.out('No panel connected.');
  for (const { id, name, dialect, url, enabled, uses, synced } of rows) {
    output.out(
      `${id}  ${name}  ${dialect}  ${url}  ${enabled ? 'enabled' : 'disabled'}  ${uses.servers} servers  catalogue ${synced ? `${synced.state} ${iso(synced.atMs)}` : 'never synced'}`,
    );
  }
  return 0;
}

async function add(
  { panels }: Services,
  argv: readonly string[],
  stdin: () => Promise<string>,
  output: Output,
): Promise<number> {
  const given = optionsOf(argv);
  const kind = given?.get('kind') ?? 'auto';
  if (
    !given?.has('name') ||
    !given.has('url') ||
    !given.has('key') ||
    (kind !== 'auto' && !PANEL_DIALECTS.some((each) => each === kind))
  ) {
    output.err(USAGE);
    return 2;
  }
  const keys = [given.get('key') ?? '', given.get('client-key') ?? ''];
  const typed = keys.includes('-') ? (await stdin()).trim() : '';
  const [key, client_key] = keys.map((each) => (each === '-' ? typed : each));
  const parsed = panelCreateInput.safeParse({
    name: given.get('name'),
    url: given.get('url'),
    public_url: given.get('public-url') ?? '',
    dialect: kind,
    enabled: true,
    key,
    client_key,
  });
  if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
  const { id } = await panels.create(null, parsed.data);
  output.out(`Connected: ${id}`);
  const { checked, insecure } = await panels.get(id);
  if (insecure) output.err('The panel is reached without encryption: for private networks only.');
  return checked ? printCheck(checked, output) : 0;
}

async function test({ panels }: Services, id: string, output: Output): Promise<number> {
  return printCheck(await panels.test(null, id), output);
}

function printCheck({ check }: CheckedPanel, output: Output): number {
  if (!('found' in check)) {
    output.err(`${check.fault}${check.cause === null ? '' : `: ${check.cause}`}`);
    return 1;
  }
  const { dialect, rights, clientKey } = check.found;
  output.out(`${dialect}, client key ${clientKey}`);
  for (const { right, level, granted } of rights) output.out(`${granted ? 'ok     ' : 'MISSING'}  ${right} (${level})`);
  return rights.every(({ granted }) => granted) ? 0 : 1;
}

async function sync({ panels, panelModule }: Services, id: string, output: Output): Promise<number> {
  await panelModule.registry.load();
  const result = await panels.sync(id);
  if (!result) {
    output.err('No such panel, or it was changed in the meantime.');
    return 1;
  }
  const why = result.fault ? ` (${result.fault.cause ?? result.fault.fault})` : '';
  output.out(`${result.state}${result.part === null ? '' : ` at ${result.part}`}${why}`);
  if (result.state === 'failed') return 1;
  const { fresh, changed, vanished } = (await panels.get(id)).news;
  output.out(`${fresh} new, ${changed} changed, ${vanished} missing`);
  return 0;
}

/** Options and their values; null where one is unknown, doubled or without a value. */
function optionsOf(argv: readonly string[]): ReadonlyMap<string, string> | null {
  const given = new Map<string, string>();
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i]?.startsWith('--') ? argv[i]?.slice(2) : undefined;
    const value = argv[i + 1];
    if (name === undefined || !OPTIONS.includes(name) || given.has(name) || value === undefined) return null;
    given.set(name, value);
  }
  return given;
}

import type { ApiTokens } from '#server/modules/api-tokens/index.ts';
import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { createTokenInput } from '#shared/schemas/api-token.ts';
import { iso } from '#shared/time.ts';
import { TOKEN_SCOPES } from '#shared/token-scopes.ts';
import { fieldErrors } from '#shared/validation.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = `Usage: spawnpoint user token list --username NAME
       spawnpoint user token create --username NAME --name TEXT --scopes SCOPE,SCOPE [--days N] [--addresses LIST]
       spawnpoint user token revoke --username NAME --id ID | --all
NAME is a username or an e-mail address. Without --days a token has no end; without --addresses it works from everywhere.
Scopes: ${TOKEN_SCOPES.join(' ')}`;

type Services = { readonly apiTokens: Pick<ApiTokens, 'operator'> };
type Options = ReadonlyMap<string, string>;
type Verb = (services: Services, options: Options, output: Output) => Promise<void>;

/** What each verb takes beside `--username`: what it needs, and what it may be given. */
const VERBS: Readonly<Record<string, { needs: readonly string[]; may: readonly string[]; run: Verb }>> = {
  list: { needs: [], may: [], run: list },
  create: { needs: ['name', 'scopes'], may: ['days', 'addresses'], run: create },
  revoke: { needs: [], may: ['id', 'all'], run: revoke },
};

/**
 * `spawnpoint user token …`: shows, makes and revokes API tokens of an account. A token is printed once, alone on
 * standard output. Out: the exit code (0 done, 1 refused with the reasons, 2 used wrongly).
 */
export async function userTokenCommand(
  services: Services,
  argv: readonly string[],
  output: Output = consoleOutput,
): Promise<number> {
  const verb = Object.hasOwn(VERBS, argv[0] ?? '') ? VERBS[argv[0] ?? ''] : undefined;
  const options = verb && optionsOf(argv.slice(1), ['username', ...verb.needs, ...verb.may]);
  if (
    !verb ||
    !options ||
    !['username', ...verb.needs].every((name) => options.has(name)) ||
    isUnclear(argv, options)
  ) {
    output.err(USAGE);
    return 2;
  }
  try {
    await verb.run(services, options, output);
    return 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    for (const line of reasons(error.fields)) output.err(line);
    if (!error.fields) output.err(`${options.get('username') ?? ''}: ${error.code}`);
    return 1;
  }
}

/** One token is revoked, or all of them are. */
const isUnclear = ([verb]: readonly string[], options: Options): boolean =>
  verb === 'revoke' && options.has('id') === options.has('all');

async function list({ apiTokens }: Services, options: Options, output: Output): Promise<void> {
  for (const token of await apiTokens.operator.list(options.get('username') ?? '')) {
    const end = token.expiresMs === null ? 'no end' : `until ${iso(token.expiresMs)}`;
    const use = token.usedMs === null ? 'never used' : `used ${iso(token.usedMs)} from ${token.usedAddress ?? ''}`;
    output.out([token.id, token.name, `…${token.tail}`, token.scopes.join(' '), end, use].join('\t'));
  }
}

async function create({ apiTokens }: Services, options: Options, output: Output): Promise<void> {
  const days = options.get('days');
  const parsed = createTokenInput.safeParse({
    name: options.get('name'),
    scopes: (options.get('scopes') ?? '').split(','),
    addresses: options.get('addresses') ?? '',
    expires_in_days: days === undefined ? null : /^\d+$/.test(days) ? Number(days) : days,
  });
  if (!parsed.success) throw new DomainError('VALIDATION_FAILED', { fields: fieldErrors(parsed.error) });
  const { token } = await apiTokens.operator.create(options.get('username') ?? '', parsed.data);
  output.out(token);
  output.err('This is the only time the token is shown.');
}

async function revoke({ apiTokens }: Services, options: Options, output: Output): Promise<void> {
  const username = options.get('username') ?? '';
  const id = options.get('id');
  const count = id === undefined ? await apiTokens.operator.revokeAll(username) : 1;
  if (id !== undefined) await apiTokens.operator.revoke(username, id);
  output.out(`Revoked ${count} of ${username}. A running server refuses them within a minute.`);
}

/** Options and their values; null where one is unknown, doubled or without a value. `--all` has none. */
function optionsOf(argv: readonly string[], known: readonly string[]): Options | null {
  const given = new Map<string, string>();
  const rest = [...argv];
  while (rest.length > 0) {
    const name = rest.shift()?.replace(/^--/, '') ?? '';
    const value = name === 'all' ? '' : rest.shift();
    if (!known.includes(name) || given.has(name) || value === undefined) return null;
    given.set(name, value);
  }
  return given;
}

const reasons = (fields: FieldErrors = {}): string[] =>
  Object.entries(fields).map(([field, codes]) => `${field}: ${codes.join(', ')}`);

import type { AccountDependants, Deletions } from '#server/modules/deletion/index.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import { DomainError } from '#shared/errors.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = `Usage: spawnpoint user delete --username NAME [--whole] --yes
NAME is a username or an e-mail address. The account closes at once; the running server removes its servers and erases what
is personal. With --whole its row goes too, which is possible where no records name it. Without --yes the command shows
what hangs on the account and changes nothing.`;

interface Services {
  readonly identity: Pick<Identity, 'operator'>;
  readonly deletion: Pick<Deletions, 'staff'>;
}

/**
 * `spawnpoint user delete …`: closes an account for good, a banned one too. In: the arguments after `delete`. Out: the
 * exit code (0 done, 1 refused with the reason, 2 used wrongly or without `--yes`).
 */
export async function userDeleteCommand(
  { identity, deletion }: Services,
  argv: readonly string[],
  terminal: Output = consoleOutput,
): Promise<number> {
  const options = optionsOf(argv);
  if (options === null) {
    terminal.err(USAGE);
    return 2;
  }
  try {
    const id = await identity.operator.getIdByLogin(options.login);
    const found = await deletion.staff.getDependants(null, id);
    if (!options.sure) {
      for (const line of linesOf(found)) terminal.out(line);
      terminal.err('Nothing is changed. Add --yes to delete the account.');
      return 2;
    }
    if (options.whole && found.hasRecords) {
      terminal.err(`Records name ${found.user.username} and must stay: leave out --whole.`);
      return 1;
    }
    await deletion.staff.deleteOf(null, id, { name: found.user.username, whole: options.whole });
    terminal.out(`${found.user.username} is closed. The running server removes what hangs on it.`);
    return 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    terminal.err(`${options.login}: ${error.code}`);
    return 1;
  }
}

/** What hangs on an account, a line each. */
function linesOf({ user, servers, credits, reserved, debt, counts, hasRecords }: AccountDependants): string[] {
  const row = (name: string, value: string | number) => `${name.padEnd(18)}${value}`;
  return [
    row('username', user.username),
    row('e-mail', user.email),
    row('servers', servers.map(({ name }) => name).join(', ') || 'none'),
    row('credits', credits),
    row('reserved', reserved),
    row('debt', debt),
    row('payments', counts.payments),
    row('store purchases', counts.purchases),
    row('linked accounts', counts.identities),
    row('passkeys', counts.passkeys),
    row('API tokens', counts.tokens),
    row('records', hasRecords ? 'stay, under another name' : 'none'),
  ];
}

/** Null where an option is unknown, given twice or without its value. */
function optionsOf(argv: readonly string[]): { login: string; whole: boolean; sure: boolean } | null {
  const given = new Map<string, string>();
  const rest = [...argv];
  while (rest.length > 0) {
    const name = rest.shift() ?? '';
    if (!['--username', '--whole', '--yes'].includes(name) || given.has(name)) return null;
    const value = name === '--username' ? rest.shift() : '';
    if (value === undefined) return null;
    given.set(name, value);
  }
  const login = given.get('--username');
  return login ? { login, whole: given.has('--whole'), sure: given.has('--yes') } : null;
}

import type { Identity } from '#server/modules/identity/index.ts';
import { DomainError } from '#shared/errors.ts';
import { newPassword } from '#shared/schemas/account.ts';
import { banInput } from '#shared/schemas/staff-user.ts';
import { DAY } from '#shared/time.ts';
import { fieldErrors } from '#shared/validation.ts';
import * as z from 'zod/mini';
import { systemTerminal, type Terminal } from './user.ts';

const USAGE = `Usage: spawnpoint user ban --username NAME --reason TEXT [--days N]
       spawnpoint user unban --username NAME
       spawnpoint user password --username NAME [--password-stdin]
NAME is a username or an e-mail address. Without --days a ban is permanent. The password is asked for, or read from standard
input; it never appears on the command line.`;

interface Services {
  readonly identity: Pick<Identity, 'ban' | 'unban' | 'operator'>;
  readonly clock: { now(): number };
}
type Options = ReadonlyMap<string, string>;
type Command = (services: Services, options: Options, terminal: Terminal) => Promise<number>;

/** Each command with the options that it takes beside `--username`; those with a value end with `=`. */
const COMMANDS: Readonly<Record<string, { readonly takes: readonly string[]; readonly run: Command }>> = {
  ban: { takes: ['reason=', 'days='], run: ban },
  unban: { takes: [], run: unban },
  password: { takes: ['password-stdin'], run: setPassword },
};

/** Whether a word is a command of this file. */
export const isStandingCommand = (word: string | undefined): boolean => Object.hasOwn(COMMANDS, word ?? '');

/**
 * `spawnpoint user ban …`, `unban …`, `password …`. Out: the exit code (0 done, 1 refused with the reason, 2 used
 * wrongly).
 */
export async function userStandingCommand(
  services: Services,
  argv: readonly string[],
  terminal: Terminal = systemTerminal,
): Promise<number> {
  const [name = '', ...rest] = argv;
  const command = isStandingCommand(name) ? COMMANDS[name] : undefined;
  const options = command && optionsOf(rest, ['username=', ...command.takes]);
  if (!command || !options?.has('username')) {
    terminal.err(USAGE);
    return 2;
  }
  try {
    return await command.run(services, options, terminal);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const fields = Object.entries(error.fields ?? {}).map(([field, codes]) => `${field}: ${codes.join(', ')}`);
    for (const line of fields.length > 0 ? fields : [`${options.get('username')}: ${error.code}`]) terminal.err(line);
    return 1;
  }
}

async function ban({ identity, clock }: Services, options: Options, terminal: Terminal): Promise<number> {
  const days = options.get('days') ?? '0';
  const parsed = banInput.safeParse({
    reason: options.get('reason') ?? '',
    days: /^\d{1,6}$/.test(days) ? Number(days) : days,
  });
  if (!parsed.success) {
    for (const [field, codes] of Object.entries(fieldErrors(parsed.error)))
      terminal.err(`${field}: ${codes.join(', ')}`);
    return 1;
  }
  const { reason, days: length } = parsed.data;
  const username = options.get('username') ?? '';
  await identity.ban(null, await identity.operator.getIdByLogin(username), {
    reason,
    untilMs: length === 0 ? null : clock.now() + length * DAY,
  });
  terminal.out(`${username} is banned ${length === 0 ? 'permanently' : `for ${length} days`}.`);
  return 0;
}

async function unban({ identity }: Services, options: Options, terminal: Terminal): Promise<number> {
  const username = options.get('username') ?? '';
  await identity.unban(null, await identity.operator.getIdByLogin(username));
  terminal.out(`${username} is no longer banned.`);
  return 0;
}

async function setPassword({ identity }: Services, options: Options, terminal: Terminal): Promise<number> {
  const password = options.has('password-stdin')
    ? (await terminal.stdin()).replace(/\r?\n$/, '')
    : await terminal.ask('New password (at least 10 characters): ');
  if (password === null) {
    terminal.err('There is no terminal to ask for the password on: use --password-stdin.');
    return 2;
  }
  const parsed = z.object({ password: newPassword }).safeParse({ password });
  if (!parsed.success) {
    terminal.err(`password: ${fieldErrors(parsed.error).password?.join(', ') ?? 'INVALID'}`);
    return 1;
  }
  const username = options.get('username') ?? '';
  await identity.operator.setPassword(username, parsed.data.password);
  terminal.out(`The password of ${username} is set. All sessions have ended.`);
  return 0;
}

/** Options and their values; null where one is unknown, given twice or without its value. */
function optionsOf(argv: readonly string[], takes: readonly string[]): Options | null {
  const given = new Map<string, string>();
  const rest = [...argv];
  while (rest.length > 0) {
    const name = rest.shift()?.replace(/^--/, '') ?? '';
    if (given.has(name)) return null;
    if (takes.includes(name)) given.set(name, '');
    else {
      const value = rest.shift();
      if (!takes.includes(`${name}=`) || value === undefined) return null;
      given.set(name, value);
    }
  }
  return given;
}

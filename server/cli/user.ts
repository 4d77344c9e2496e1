import type { Identity } from '#server/modules/identity/index.ts';
import type { RoleKey } from '#server/modules/access/index.ts';
import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';
import * as account from '#shared/schemas/account.ts';
import { line } from '#shared/schemas/primitives.ts';
import { fieldErrors } from '#shared/validation.ts';
import * as z from 'zod/mini';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = `Usage: spawnpoint user create --username NAME --email ADDRESS [--first-name NAME] [--last-name NAME]
                              [--role member|vip|support|admin|owner] [--password-stdin]
       spawnpoint user 2fa-off --username NAME
Without --password-stdin you are asked for the password; it never appears on the command line.`;

const OPTIONS = ['username', 'email', 'first-name', 'last-name', 'role'] as const;
const input = z.object({
  username: account.username,
  email: account.email,
  password: account.newPassword,
  first_name: line(1, 64),
  last_name: line(1, 64),
  role: z.enum(['member', 'vip', 'support', 'admin', 'owner'] satisfies RoleKey[]),
});

/** How the command speaks with its user; replaced in tests. */
export interface Terminal extends Output {
  /** Asks a hidden question; null where nobody can answer. */
  ask(question: string): Promise<string | null>;
  /** All of standard input. */
  stdin(): Promise<string>;
}

/**
 * `spawnpoint user create …`: makes an account with any role, also the owner's (behaviour 3.2). Out: the exit code (0
 * made, 1 refused with the reasons, 2 used wrongly).
 */
export async function createUserCommand(
  services: { readonly identity: Pick<Identity, 'createUser'> },
  argv: readonly string[],
  terminal: Terminal = systemTerminal,
): Promise<number> {
  const given = argv[0] === 'create' ? optionsOf(argv.slice(1)) : null;
  if (!given?.has('username') || !given.has('email')) {
    terminal.err(USAGE);
    return 2;
  }
  const password = given.has('password-stdin')
    ? (await terminal.stdin()).replace(/\r?\n$/, '')
    : await terminal.ask('Password (at least 10 characters): ');
  if (password === null) {
    terminal.err('There is no terminal to ask for the password on: use --password-stdin.');
    return 2;
  }
  const username = given.get('username') ?? '';
  const parsed = input.safeParse({
    ...Object.fromEntries(given),
    password,
    first_name: given.get('first-name') ?? username,
    last_name: given.get('last-name') ?? '-',
    role: given.get('role') ?? 'member',
  });
  if (!parsed.success) return refused(terminal, fieldErrors(parsed.error));
  try {
    await services.identity.createUser({ ...parsed.data, locale: DEFAULT_LOCALE });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return refused(terminal, error.fields ?? { form: [] });
  }
  terminal.out(`Created ${parsed.data.username} (${parsed.data.role}).`);
  return 0;
}

/**
 * `spawnpoint user 2fa-off --username NAME`: takes the second factor away from somebody who lost app and recovery
 * codes. They are told. In: a username or an e-mail address. Out: the exit code (0 taken away, 1 nobody of that name or
 * no factor, 2 used wrongly).
 */
export async function factorOffCommand(
  services: { readonly identity: { readonly twoFactor: Pick<Identity['twoFactor'], 'remove'> } },
  argv: readonly string[],
  terminal: Output = consoleOutput,
): Promise<number> {
  const [option, username, ...more] = argv;
  if (option !== '--username' || username === undefined || more.length > 0) {
    terminal.err(USAGE);
    return 2;
  }
  try {
    await services.identity.twoFactor.remove(username);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    terminal.err(`${username}: ${error.code}`);
    return 1;
  }
  terminal.out(`Two-factor authentication is off for ${username}.`);
  return 0;
}

/** Options and their values; null where one is unknown, doubled or without a value. */
function optionsOf(argv: readonly string[]): ReadonlyMap<string, string> | null {
  const given = new Map<string, string>();
  for (let i = 0; i < argv.length; i += 1) {
    const name = argv[i]?.startsWith('--') ? argv[i]?.slice(2) : undefined;
    if (name === undefined || given.has(name)) return null;
    if (name === 'password-stdin') {
      given.set(name, '');
      continue;
    }
    const value = argv[i + 1];
    if (!(OPTIONS as readonly string[]).includes(name) || value === undefined) return null;
    given.set(name, value);
    i += 1;
  }
  return given;
}

function refused(terminal: Terminal, fields: FieldErrors): number {
  for (const [field, codes] of Object.entries(fields)) terminal.err(`${field}: ${codes.join(', ')}`);
  return 1;
}

export const systemTerminal: Terminal = {
  ...consoleOutput,
  ask: askHidden,
  stdin: () => Bun.stdin.text(),
};

/** Reads a line from the terminal without showing it. */
function askHidden(question: string): Promise<string | null> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY) return Promise.resolve(null);
  return new Promise((resolve) => {
    let typed = '';
    stdout.write(question);
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    const done = (answer: string | null) => {
      stdin.setRawMode(false);
      stdin.pause();
      stdin.off('data', read);
      stdout.write('\n');
      resolve(answer);
    };
    const read = (chunk: string | Buffer) => {
      for (const char of String(chunk)) {
        if (char === '\r' || char === '\n' || char === '\u0004') return done(typed);
        if (char === '\u0003') return done(null);
        if (char === '\u007f' || char === '\b') typed = typed.slice(0, -1);
        else typed += char;
      }
    };
    stdin.on('data', read);
    stdin.resume();
  });
}

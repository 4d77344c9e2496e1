import type { Access } from '#server/modules/access/index.ts';
import type { People, PeopleCursor } from '#server/modules/people/index.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE = `Usage: spawnpoint user list [--role ROLE]
       spawnpoint user role --username NAME --role ROLE
ROLE is the name of a role, or member, vip, support, admin, owner for those that came along.`;
/** Users read at once. */
const STEP = 500;

interface Services {
  readonly uow: UnitOfWork;
  readonly access: Pick<Access, 'assignRole'>;
  readonly people: Pick<People, 'list'>;
}

/**
 * `spawnpoint user list`, `spawnpoint user role`: shows the users with their roles, a line each, and gives one of them
 * another role. The last owner keeps theirs (behaviour 3.10). In: NAME is a username or an e-mail address. Out: the
 * exit code (0 done, 1 refused with the reason, 2 used wrongly).
 */
export async function userRoleCommand(
  services: Services,
  argv: readonly string[],
  output: Output = consoleOutput,
): Promise<number> {
  const [verb, ...rest] = argv;
  const options = optionsOf(rest);
  const username = options?.get('username');
  const role = options?.get('role');
  try {
    if (verb === 'list' && options && username === undefined) return await list(services, role, output);
    if (verb === 'role' && username !== undefined && role !== undefined) {
      await services.uow.run((tx) => assign(services, tx, username, role));
      output.out(`${username} has the role ${role} now. A running server goes by it within a minute.`);
      return 0;
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const fields = Object.entries(error.fields ?? {}).map(([field, codes]) => `${field}: ${codes.join(', ')}`);
    for (const line of fields.length > 0 ? fields : [`${username ?? ''}: ${error.code}`]) output.err(line);
    return 1;
  }
  output.err(USAGE);
  return 2;
}

async function list({ uow, people }: Services, role: string | undefined, output: Output): Promise<number> {
  const roleId = role === undefined ? undefined : await uow.read((tx) => roleIdOf(tx, role));
  for (let after: PeopleCursor | undefined; ;) {
    const { rows, hasAfter } = await people.list({ roleId, sort: 'username', dir: 'asc', after, limit: STEP });
    for (const row of rows) output.out([row.username, row.email, row.role.name, row.status].map(plain).join('\t'));
    if (!hasAfter) return 0;
    after = rows.at(-1)?.cursor;
  }
}

async function assign({ access }: Services, tx: Tx, login: string, role: string): Promise<void> {
  const user = await tx.identity.findUserByLogin(login);
  if (!user) throw new DomainError('NOT_FOUND');
  await access.assignRole(tx, null, user.id, await roleIdOf(tx, role));
}

/** The id of a role by its name or key, without case. Throws UNKNOWN at `role`. */
async function roleIdOf(tx: Tx, role: string): Promise<string> {
  const found = (await tx.access.roleByName(role)) ?? (await tx.access.roleByKey(role.toLowerCase()));
  if (!found) throw fieldError('role', 'UNKNOWN');
  return found.id;
}

/** `--username` and `--role` with their values; null where one is unknown, doubled or without a value. */
function optionsOf(argv: readonly string[]): ReadonlyMap<string, string> | null {
  const given = new Map<string, string>();
  for (let i = 0; i < argv.length; i += 2) {
    const name = /^--(username|role)$/.exec(argv[i] ?? '')?.[1];
    const value = argv[i + 1];
    if (name === undefined || value === undefined || given.has(name)) return null;
    given.set(name, value);
  }
  return given;
}

/** Text of users must not steer the terminal it is shown on. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}/gu, '');

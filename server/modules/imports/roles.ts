import * as z from 'zod/mini';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { MAX_ROLES } from '../access/index.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ctx, Ids } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { ImportRun, RoleChoice, RoleProposal } from './ports.ts';

/** Longest name of a role of ours. */
const NAME_MAX = 40;
/** Where a new role stands: below all others of staff, until an owner raises it. */
const RANK = 20;
const COLOR = '#8d93a1';

const proposals = z.object({
  roles: z.array(
    z.object({
      name: z.string(),
      users: z.int(),
      to: z.string(),
      toName: z.string(),
      permissions: z.array(z.string()),
      unmatched: z.int(),
    }),
  ),
});
const decided = z.object({
  roles: z.optional(z.array(z.object({ name: z.string(), id: z.string(), made: z.boolean() }))),
});
/** A role of the source, and which of ours its users get. `made`: for this run. */
export type DecidedRole = NonNullable<z.output<typeof decided>['roles']>[number];

/** What a check proposes for the roles of the source. */
export const proposalsOf = ({ summary }: ImportRun): readonly RoleProposal[] =>
  proposals.parse(JSON.parse(summary)).roles;
/** Which of our roles users of the source's get; null while nobody has said so. */
export const decidedRolesOf = ({ options }: ImportRun): readonly DecidedRole[] | null =>
  decided.parse(JSON.parse(options)).roles ?? null;

/** Whether a role may be given by an import: nobody becomes an owner. */
export const isGivable = ({
  key,
  permissions,
}: {
  readonly key: string | null;
  readonly permissions: readonly string[];
}) => key !== 'owner' && !permissions.includes('admin.root');

/**
 * Writes down, once and for all of a run, which role of ours the users of each role of the source get, and makes those
 * that are new. What is not chosen comes to the default role. Throws VALIDATION_FAILED at `roles` where there is no
 * such role or it may not be given, and where there is one of the name of a new one; LIMIT_REACHED.
 */
export async function decideRoles(
  deps: { readonly clock: Clock; readonly ids: Ids },
  tx: Tx,
  ctx: Ctx | null,
  run: ImportRun,
  choices: readonly RoleChoice[],
): Promise<readonly DecidedRole[]> {
  const before = decidedRolesOf(run);
  if (before) return before;
  await tx.access.lock();
  const roles: DecidedRole[] = [];
  for (const { name, to } of choices) {
    const proposal = proposalsOf(run).find((each) => each.name === name);
    if (!proposal) throw fieldError('roles', 'UNKNOWN');
    if (to === 'default') continue;
    if (to === 'new') roles.push({ name, id: await addRole(deps, tx, ctx, proposal), made: true });
    else {
      const role = await tx.access.role(to);
      if (!role || !isGivable({ key: role.key, permissions: await tx.access.permissionsOf(to) }))
        throw fieldError('roles', 'UNKNOWN');
      roles.push({ name, id: to, made: false });
    }
  }
  const options = JSON.stringify({ ...(JSON.parse(run.options) as object), roles });
  await tx.imports.updateRun(run.id, { options }, deps.clock.now());
  return roles;
}

async function addRole(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  tx: Tx,
  ctx: Ctx | null,
  { name: theirs, permissions }: RoleProposal,
): Promise<string> {
  if (permissions.length === 0) throw fieldError('roles', 'UNKNOWN');
  const name = theirs
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, NAME_MAX);
  if (name === '' || (await tx.access.roleByName(name))) throw fieldError('roles', 'NAME_TAKEN');
  if ((await tx.access.countRoles()) >= MAX_ROLES) throw new DomainError('LIMIT_REACHED');
  const role = { id: ids.uuid(), key: null, name, color: COLOR, rank: RANK, isDefault: false, createdMs: clock.now() };
  await tx.access.add(role, permissions as readonly Permission[]);
  const after = { name, color: COLOR, rank: RANK, isDefault: false, permissions };
  await writeAudit(tx, { clock, ids }, ctx, { action: 'roles.create', target: role.id, after });
  tx.touch('roles');
  return role.id;
}

/** Takes a role away that a run made and nobody has. Out: false where somebody has it. */
export async function forgetRole(tx: Tx, { clock }: { readonly clock: Clock }, id: string): Promise<boolean> {
  await tx.access.lock();
  const role = (await tx.access.listRoles()).find((each) => each.id === id);
  if (!role) return true;
  if (role.members > 0 || role.isDefault) return false;
  await tx.access.remove(role, clock.now());
  tx.touch('roles');
  return true;
}

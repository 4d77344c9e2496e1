import type { ImportProduct } from '#shared/imports.ts';
import type { RoleProposal } from '../modules/imports/index.ts';
import type { UserRecord } from './model.ts';
import type { RecordStore } from './records.ts';
import { toRights } from './rights.ts';

/** A role of ours that users may come to. */
export interface TargetRole {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
  readonly isDefault: boolean;
  readonly isOwner: boolean;
}
interface Counted {
  readonly name: string;
  readonly role: UserRecord['role'];
  readonly users: number;
}

/**
 * Keeps in the working file what is proposed for each role of the source that somebody comes with: a role of ours of
 * the same name, else the one it is most like, else a new one with the rights that come nearest. Roles that would come
 * to nothing are left out. Nobody gets any of it before an owner has said so.
 */
export function planRoles(store: RecordStore, product: ImportProduct, roles: readonly TargetRole[]): void {
  const { staging } = store;
  const usable = roles.filter(({ isOwner }) => !isOwner);
  const counted = staging.rows<Counted>(
    `SELECT json_extract(data, '$.roleName') AS name, MAX(json_extract(data, '$.role')) AS role, COUNT(*) AS users
     FROM records WHERE kind = 'user' AND state = 'ready' AND json_extract(data, '$.mergeInto') IS NULL
       AND json_extract(data, '$.roleName') <> '' GROUP BY 1 ORDER BY 3, 1`,
  );
  const proposals: RoleProposal[] = [];
  for (const { name, role, users } of counted) {
    const theirs = [...staging.rows<{ permission: string }>('SELECT permission FROM role_rights WHERE role = ?', name)];
    const { permissions, unmatched } = toRights(
      product,
      theirs.map(({ permission }) => permission),
    );
    const named = usable.find((each) => each.name.toLowerCase() === name.toLowerCase());
    const alike = role === 'member' ? undefined : usable.find(({ key }) => key === role);
    const ours = named ?? alike;
    if (ours?.isDefault || (!ours && permissions.length + unmatched === 0)) continue;
    const to = ours?.id ?? (permissions.length > 0 ? 'new' : 'default');
    proposals.push({ name, users, to, toName: ours?.name ?? '', permissions, unmatched });
  }
  staging.setFact('roles', JSON.stringify(proposals));
}

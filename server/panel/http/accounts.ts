import type { PanelCatalogue } from '#server/modules/servers/panel/ports.ts';
import type { PanelClient } from './client.ts';
import type { Dialect } from './dialect.ts';
import { namesOf } from './names.ts';
import { allPages } from './pages.ts';
import { readAccountsPage, readAccountDetails, readUser } from './shapes.ts';

const base = { api: 'application', right: 'users' } as const;
/** Accounts in a page of the list. */
const PAGE = 200;

/**
 * Accounts that others made, and giving one of them our id (decision 018). Nothing here chooses an account: callers
 * name it.
 */
export function accountCalls(
  client: PanelClient,
  dialect: Dialect,
): Pick<PanelCatalogue, 'accounts' | 'accountByEmail' | 'bindAccount'> {
  return {
    accounts: () =>
      allPages(client, {
        right: 'users',
        path: `/users?sort=id&per_page=${PAGE}`,
        read: readAccountsPage,
        ref: ({ id }) => id,
      }),
    async accountByEmail(email) {
      // The filter finds parts, and takes a comma for two addresses (panel contract, section 2): compared here.
      const path = `/users?sort=id&per_page=${PAGE}&filter[email]=${encodeURIComponent(email)}`;
      const found = await allPages(client, { right: 'users', path, read: readAccountsPage, ref: ({ id }) => id });
      if (found.outcome !== 'ok') return found;
      return {
        outcome: 'ok',
        value: found.value.find((each) => each.email.toLowerCase() === email.toLowerCase()) ?? null,
      };
    },
    async bindAccount(id, user, password, formerId = null) {
      if (!/^\d{1,15}$/.test(id)) return { outcome: 'refused', reason: 'id' };
      const { answer } = await client.call({
        ...base,
        kind: 'read',
        method: 'GET',
        path: `/users/${id}`,
        read: readAccountDetails,
      });
      if (answer.outcome !== 'ok') return answer;
      const { externalId, email, username, admin } = answer.value;
      if (admin) return { outcome: 'refused', reason: 'admin' };
      if (externalId !== null && externalId !== user.externalId && externalId !== formerId)
        return { outcome: 'refused', reason: 'external_id' };
      if (email.toLowerCase() !== user.email.toLowerCase()) return { outcome: 'refused', reason: 'email' };
      const body = { ...dialect.userBody(user, namesOf(user), username), ...(password === null ? {} : { password }) };
      const read = (made: unknown) => (readUser(made)?.externalId === user.externalId ? null : undefined);
      const bound = await client.call({ ...base, kind: 'write', method: 'PATCH', path: `/users/${id}`, body, read });
      return bound.answer;
    },
  };
}

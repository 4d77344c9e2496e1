import type { Sendable, Sendables } from './client.ts';
import type { Endpoint, Group } from './endpoint.ts';
import { CONTRACT, type Contract } from './index.ts';

/** Groups that only staff call. Their table is a module of its own, so that no page of a player carries it. */
export type StaffContract = Pick<Contract, Extract<keyof Contract, `admin${string}`>>;
export type PlayerContract = Omit<Contract, keyof StaffContract>;

function sendable({ method, path, body, upload, idempotent, fresh }: Endpoint): Sendable {
  return {
    ...(method === 'GET' ? {} : { method }),
    path,
    ...(body ? { body: true } : {}),
    ...(upload ? { upload } : {}),
    ...(idempotent ? { idempotent } : {}),
    ...(fresh ? { fresh } : {}),
  };
}

/**
 * The groups of the contract that staff, or players, call, without what other services send, as a caller needs them to
 * send a request: method, path, whether there is a body, and how it is cached and repeated; no schemas. The client
 * build replaces the modules that export them with the finished tables (scripts/client-plugins.ts), because the schemas
 * and zod would add 20 KB to every page.
 */
export function wireTable(of: 'staff'): Sendables<StaffContract>;
export function wireTable(of: 'players'): Sendables<PlayerContract>;
export function wireTable(of: 'staff' | 'players'): Readonly<Record<string, Readonly<Record<string, Sendable>>>> {
  return Object.fromEntries(
    Object.entries<Group>(CONTRACT)
      .filter(([name]) => name.startsWith('admin') === (of === 'staff'))
      .map(([name, group]) => [
        name,
        Object.fromEntries(
          Object.entries(group)
            .filter(([, { hook }]) => !hook)
            .map(([key, endpoint]) => [key, sendable(endpoint)]),
        ),
      ]),
  );
}

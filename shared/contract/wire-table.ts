import type { Sendable, Sendables } from './client.ts';
import type { Endpoint, Group } from './endpoint.ts';
import { CONTRACT, type Contract } from './index.ts';

/** What every page calls by itself. Its table is part of the entry; the others are loaded with the first call. */
export type SessionContract = Pick<Contract, 'session'>;
/** Groups that only staff call. */
export type StaffContract = Pick<Contract, Extract<keyof Contract, `admin${string}`>>;
export type PlayerContract = Omit<Contract, keyof SessionContract | keyof StaffContract>;

type Caller = 'session' | 'players' | 'staff';
const callerOf = (group: string): Caller =>
  group === 'session' ? 'session' : group.startsWith('admin') ? 'staff' : 'players';

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
 * The groups of the contract that every page, players or staff call, without what other services send, as a caller
 * needs them to send a request: method, path, whether there is a body, and how it is cached and repeated; no schemas.
 * The client build replaces the modules that export them with the finished tables (scripts/client-plugins.ts), because
 * the schemas and zod would add 20 KB to every page.
 */
export function wireTable(of: 'session'): Sendables<SessionContract>;
export function wireTable(of: 'staff'): Sendables<StaffContract>;
export function wireTable(of: 'players'): Sendables<PlayerContract>;
export function wireTable(of: Caller): Readonly<Record<string, Readonly<Record<string, Sendable>>>> {
  return Object.fromEntries(
    Object.entries<Group>(CONTRACT)
      .filter(([name]) => callerOf(name) === of)
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

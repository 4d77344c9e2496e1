import type { Sendable, Sendables } from './client.ts';
import type { Endpoint, Group } from './endpoint.ts';
import { CONTRACT, type Contract } from './index.ts';

function sendable({ method, path, body, upload, idempotent, fresh }: Endpoint): Sendable {
  return {
    method,
    path,
    ...(body ? { body: true } : {}),
    ...(upload ? { upload } : {}),
    ...(idempotent ? { idempotent } : {}),
    ...(fresh ? { fresh } : {}),
  };
}

function sendables<C extends Readonly<Record<string, Group>>>(contract: C): Sendables<C> {
  const groups = Object.entries(contract).map(([name, group]) => [
    name,
    Object.fromEntries(Object.entries(group).map(([key, endpoint]) => [key, sendable(endpoint)])),
  ]);
  return Object.fromEntries(groups) as Sendables<C>;
}

/**
 * The contract as a caller needs it to send a request: method, path, whether there is a body, and how it is cached and
 * repeated; no schemas. It is derived here from the whole contract; the client build replaces this module with the
 * finished table (scripts/client-plugins.ts), because the schemas and zod would add 20 KB to every page.
 */
export const WIRE: Sendables<Contract> = sendables(CONTRACT);

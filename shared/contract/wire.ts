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
 * The contract as the browser needs it: methods and addresses, no schemas. The client build puts the finished table in
 * the place of this module (scripts/client-build.ts), because the schemas and what runs them would be 20 KB more on
 * every page.
 */
export const WIRE: Sendables<Contract> = sendables(CONTRACT);

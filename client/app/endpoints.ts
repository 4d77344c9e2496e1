import type { Sendables } from '#shared/contract/client.ts';
import type { Contract } from '#shared/contract/index.ts';
import { START } from '#shared/contract/wire-start.ts';

let known = START as Sendables<Contract>;

/** The endpoints that can be asked so far: those of the first page, or all. */
export function knownEndpoints(): Sendables<Contract> {
  return known;
}

/** Makes all endpoints known (whole-api.ts). */
export function knowEndpoints(all: Sendables<Contract>): void {
  known = all;
}

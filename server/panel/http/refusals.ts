import type { PanelRight } from '#server/modules/servers/panel/ports.ts';
import type { PanelError } from './exchange.ts';

/**
 * Why a panel says no: the closed set of `refused` reasons of the adapters. `right:<x>`: the key lacks a right;
 * `rule:<VARIABLE>`: a rule of the egg. `rejected`: for a reason of its own, which the log has.
 */
export type Reason =
  // The keys: unknown; its owner is no administrator (any more); this machine's address is not let in; the same of the
  // client key; none is set.
  | 'key'
  | 'key_owner'
  | 'key_address'
  | 'client_key'
  | 'no_client_key'
  | `right:${PanelRight}`
  // The client key's owner cannot see the server: nothing is known of it.
  | 'not_visible'
  // Suspended, installing, in maintenance or moving.
  | 'busy'
  // Where it should go: no place given, a port that is another's, the last port taken away, no node or port with room.
  | 'place'
  | 'port_taken'
  | 'default_port'
  | 'no_room'
  | 'no_port'
  // What was sent.
  | 'id'
  | 'external_id'
  | 'user'
  | 'egg'
  | 'image'
  | 'startup'
  | 'environment'
  | 'name'
  | 'description'
  | 'limits'
  | 'email'
  | 'email_taken'
  | 'username'
  | 'username_taken'
  | `rule:${string}`
  | 'signal'
  | 'rejected';

const FIELDS: readonly (readonly [RegExp, Reason])[] = [
  [/^(allocation|add_allocations|remove_allocations)(\.|$)/, 'port_taken'],
  [/^user$/, 'user'],
  [/^egg$/, 'egg'],
  [/^(docker_image|image)$/, 'image'],
  [/^startup$/, 'startup'],
  [/^environment$/, 'environment'],
  [/^(name|first_name|last_name)$/, 'name'],
  [/^description$/, 'description'],
  [/^external_id$/, 'external_id'],
  [/^(limits|feature_limits)(\.|$)|^(memory|swap|disk|io|cpu|threads)$/, 'limits'],
  [/^email$/, 'email'],
  [/^username$/, 'username'],
  [/^signal$/, 'signal'],
];
/** Errors of the panel's own rules that are no validation (panel contract, sections 4 and 5). */
const CODES: Readonly<Record<string, Reason>> = {
  NoViableNodeException: 'no_room',
  NoViableAllocationException: 'no_port',
};

/** Whether a validation says that a field's value is another's already. */
export function taken(errors: readonly PanelError[] | null, field: string): boolean {
  return errors?.some((error) => error.field === field && error.rule === 'unique') ?? false;
}

/** Why a validation failed, by the first field that is known. An egg's variables name themselves. */
export function reasonOf(errors: readonly PanelError[]): Reason {
  if (taken(errors, 'email')) return 'email_taken';
  if (taken(errors, 'username')) return 'username_taken';
  for (const { field, rule } of errors) {
    const variable = /^environment\.([A-Za-z0-9_]{1,191})$/.exec(field ?? '')?.[1];
    if (variable !== undefined) return `rule:${variable}`;
    const known = FIELDS.find(([pattern]) => pattern.test(field ?? ''));
    if (known) return known[1] === 'port_taken' && rule !== 'exists' && rule !== 'unique' ? 'place' : known[1];
  }
  return 'rejected';
}
/** Why the panel did not want to, where its answer is no validation. */
export function reasonOfCode(code: string): Reason {
  return Object.hasOwn(CODES, code) ? (CODES[code] ?? 'rejected') : 'rejected';
}

/** Which of the kinds of 403 it is: they differ in their text alone (panel contract, section 1). */
export function reasonOf403(detail: string, right: PanelRight): Reason {
  if (/IP address/i.test(detail)) return 'key_address';
  return /does not have permission to access the API/i.test(detail) ? 'key_owner' : `right:${right}`;
}

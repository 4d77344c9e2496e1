import type { Ceiling } from '#shared/ceilings.ts';
import type { Access } from '#shared/contract/endpoint.ts';
import type { FeatureSwitch } from '#shared/earning-sources.ts';
import type { LimitName } from '#shared/limits.ts';
import type { Permission } from '#shared/permissions.ts';

/**
 * What else stands between a caller and the handler, or around its answer. `verified`: asks for a verified address;
 * `waiting`: may be called while the second factor is waited for; `settingUp`: may be called by who has to set one up
 * first; `idempotent`: accepts an Idempotency-Key; `secret`: its answer is shown once; `hook`: called by another
 * service that proves itself; `limit:`: a rate limit of its own; `flag:`: the switch that has to be on; `ceiling:` and
 * `upload`: what its body may carry; `staff:` the permission by which staff may call it on what is a user’s.
 */
export type Guard =
  | 'verified'
  | 'waiting'
  | 'settingUp'
  | 'idempotent'
  | 'secret'
  | 'hook'
  | 'upload'
  | `limit:${LimitName}`
  | `flag:${FeatureSwitch}`
  | `ceiling:${Ceiling}`
  | `staff:${Permission}`;

/** Endpoints that one part of the specification speaks of. */
export interface Part {
  /** What the specification says, or why it is so where it is silent. */
  readonly says: string;
  /** Method and path → who may call, and what else is asked. */
  readonly endpoints: Readonly<Record<string, Access | readonly [Access, ...Guard[]]>>;
}

import type { Accepted } from './accepted/accepted.types.ts';
import { ABUSE } from './accepted/abuse.ts';
import { HTTP } from './accepted/http.ts';
import { IDENTITY } from './accepted/identity.ts';
import { IMPORTS } from './accepted/imports.ts';
import { JOBS } from './accepted/jobs.ts';
import { MONEY } from './accepted/money.ts';
import { REFERRALS } from './accepted/referrals.ts';
import { REWARDS } from './accepted/rewards.ts';
import { SERVERS } from './accepted/servers.ts';
import type { Mutant } from './mutants.ts';

export const ACCEPTED: readonly Accepted[] = [
  ...ABUSE,
  ...HTTP,
  ...IDENTITY,
  ...IMPORTS,
  ...JOBS,
  ...MONEY,
  ...REFERRALS,
  ...REWARDS,
  ...SERVERS,
];

/** Whether a fault is one of those that may survive. */
export function isAccepted({ file, within, from, to }: Pick<Mutant, 'file' | 'within' | 'from' | 'to'>): boolean {
  return ACCEPTED.some(
    (each) =>
      each.file === file &&
      each.within === within &&
      each.changes.some(([before, after]) => before === from && after === to),
  );
}

import { DomainError } from '#shared/errors.ts';
import type { Egg } from '../../catalog/ports.ts';
import { checkVariables } from '../core/index.ts';

type Values = Readonly<Record<string, string>>;

/**
 * The owner's values of a server's variables after a change (behaviour 6.1); null where nothing changes. What is not
 * named stays as it is; values of variables that the egg has lost are dropped. Once something changes all of them are
 * checked, as the panel will. Throws VALIDATION_FAILED with `variables.<NAME>`, EGG_UNAVAILABLE where the egg is gone.
 */
export function changedVariables(
  egg: Egg | null,
  has: Values,
  wanted: Values | undefined,
): Record<string, string> | null {
  if (!wanted || Object.keys(wanted).length === 0) return null;
  if (!egg) throw new DomainError('EGG_UNAVAILABLE');
  const own = new Map(
    egg.variables
      .filter((variable) => variable.user_editable)
      .map((variable) => [variable.env, variable.default_value]),
  );
  const now = Object.fromEntries(
    [...own].map(([env, standard]) => [env, (Object.hasOwn(has, env) ? has[env] : undefined) ?? standard]),
  );
  if (Object.entries(wanted).every(([env, value]) => Object.hasOwn(now, env) && now[env] === value)) return null;
  return checkVariables(egg.variables, { ...now, ...wanted });
}

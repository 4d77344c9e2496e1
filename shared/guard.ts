import type { FeatureSwitch } from './earning-sources.ts';
import { can } from './can.ts';
import type { Permission } from './permissions.ts';

/** Who may see a route. A plain union of strings, so that a wrong permission does not compile. */
export type Guard = 'open' | 'guest-only' | 'signed-in' | Permission;

interface Visitor {
  /** A session (server) or a presence cookie (client guard) exists. */
  readonly signedIn: boolean;
  readonly permissions: readonly string[];
}

export type Decision = 'allow' | 'login' | 'home' | 'forbidden' | 'hidden';

/** Routes for users who have to set up a second factor first. */
const SETUP_ROUTES: readonly string[] = ['auth.factorSetup', 'auth.factorCancel'];

/**
 * Where a visitor with an incomplete log-in has to go (behaviour 3.5): `factor`: to the verification of the second
 * factor, `set-up`: to its set-up; null: the route is accessible. In: the route, whether the session waits, and the
 * state of the factor.
 */
export function secondFactorDetour(
  route: { readonly id: string; readonly guard: Guard },
  waiting: boolean,
  factor: unknown,
): 'factor' | 'set-up' | null {
  if (route.guard === 'open' || route.guard === 'guest-only') return null;
  if (waiting) return 'factor';
  return factor === 'required' && !SETUP_ROUTES.includes(route.id) ? 'set-up' : null;
}

/**
 * The navigation guard, the same on both sides (specification, section 2). Out: `login` store the target and go to the
 * login screen; `home` go to the stored target or the dashboard; `forbidden` the Access Denied dialog and /errors/403;
 * `hidden` the route's feature is off.
 */
export function decideAccess(
  route: { guard: Guard; flag?: FeatureSwitch },
  visitor: Visitor,
  on: Readonly<Partial<Record<FeatureSwitch, unknown>>>,
): Decision {
  if (route.guard === 'guest-only') return visitor.signedIn ? 'home' : 'allow';
  if (route.guard !== 'open') {
    if (!visitor.signedIn) return 'login';
    if (route.guard !== 'signed-in' && !can(visitor.permissions, route.guard)) return 'forbidden';
  }
  if (route.flag && !isOn(route.flag, on)) return 'hidden';
  return 'allow';
}

/** Whether a feature is on. In: the flags and the public settings of the page. */
export function isOn(feature: FeatureSwitch, on: Readonly<Partial<Record<FeatureSwitch, unknown>>>): boolean {
  return on[feature] === true;
}

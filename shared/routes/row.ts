import type { Ceiling } from '../ceilings.ts';
import type { FeatureSwitch } from '../earning-sources.ts';
import type { Guard } from '../guard.ts';

/**
 * How a page is framed: `auth` two columns with the map, `app` the shell, `admin` the shell with staff navigation,
 * `plain` nothing.
 */
export type Layout = 'auth' | 'app' | 'admin' | 'plain';
export type NavGroup =
  'play' | 'earn' | 'spend' | 'community' | 'overview' | 'hosting' | 'people' | 'economy' | 'content' | 'system';

export interface RouteRow {
  /** Pattern with `:name` parameters; `/*` at its end: whatever follows. */
  readonly path: string;
  readonly guard: Guard;
  readonly layout: Layout;
  /** Key in the namespace `shell`: document title and breadcrumb. */
  readonly title: string;
  readonly flag?: FeatureSwitch;
  /**
   * Reached only from another page, with parameters in the address: a callback, or a page for one item. Not listed as a
   * destination.
   */
  readonly technical?: true;
  /** The ceiling of a form sent to it without scripts; `command` if absent. */
  readonly ceiling?: Ceiling;
  /** Place in the navigation; absent: not listed. `icon` is a name of the icon registry. */
  readonly nav?: { readonly group: NavGroup; readonly order: number; readonly icon: string };
}

/** A route with its id, which says what it is about: `admin.users.list`. */
export type Route<Id extends string = string> = RouteRow & { readonly id: Id };

/** The rows of a table as a list, in its order. */
export function routeList<Id extends string>(rows: Readonly<Record<Id, RouteRow>>): readonly Route<Id>[] {
  // Object.entries widens keys to string.
  return Object.entries<RouteRow>(rows).map(([id, each]) => ({ ...each, id: id as Id }));
}

import type { AreaName } from './index.ts';

/** The name of an area's group of endpoints: `adminEggs` for `eggs`. */
export type AreaGroup<A extends AreaName> = `admin${Capitalize<A>}`;

/** In: an area. Out: the name of its group of endpoints. */
export const areaGroup = <A extends AreaName>(area: A): AreaGroup<A> =>
  `admin${area.charAt(0).toUpperCase()}${area.slice(1)}` as AreaGroup<A>;

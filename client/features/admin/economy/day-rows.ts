import { sum } from '../parts/sum.ts';
import type { EconomyData } from './screen.tsx';

/** The figures of one day: minted, burnt, and circulation at its end. */
export interface DayRow {
  readonly day: string;
  readonly minted: number;
  readonly burnt: number;
  readonly circulation: number;
  /** Minted and burnt of each account, in the order of the flows. */
  readonly parts: readonly { readonly minted: number; readonly burnt: number }[];
}

/** The figures by day, the newest first. */
export function toDayRows({ days, flows, circulation }: Pick<EconomyData, 'days' | 'flows' | 'circulation'>): DayRow[] {
  return days
    .map((day, index) => {
      const parts = flows.map(({ minted, burnt }) => ({ minted: minted[index] ?? 0, burnt: burnt[index] ?? 0 }));
      return {
        day,
        minted: sum(parts.map(({ minted }) => minted)),
        burnt: sum(parts.map(({ burnt }) => burnt)),
        circulation: circulation[index] ?? 0,
        parts,
      };
    })
    .toReversed();
}

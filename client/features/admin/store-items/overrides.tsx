import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { OverridesOf } from '#client/resource/area.ts';
import type { storeItems } from '#shared/resources/store-items.ts';

/** The name of what is sold. */
function KindCell({ row }: { row: { kind: string } }): ReactNode {
  return useLooseT('areas/storeItems')(`values.kind_${row.kind}`);
}

/** Overrides of store items. */
export const overrides: OverridesOf<typeof storeItems> = { cells: { kind: KindCell } };

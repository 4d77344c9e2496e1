import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { OverridesOf } from '#client/resource/area.ts';
import type { storeItems } from '#shared/resources/store-items.ts';

/** What is sold, in words. */
function KindCell({ row }: { row: { kind: string } }): ReactNode {
  return useLooseT('areas/storeItems')(`values.kind_${row.kind}`);
}

/** What is special about the items of the store. */
export const overrides: OverridesOf<typeof storeItems> = { cells: { kind: KindCell } };

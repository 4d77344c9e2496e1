import type { Egg, Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import type { ServerRow } from '../core/ports.ts';

/** What a build needs to know besides the server; null for what is gone, or is not known at the panel yet. */
export interface BuildContext {
  readonly user: Awaited<ReturnType<Tx['identity']['findUser']>>;
  readonly egg: Egg | null;
  readonly location: Location | null;
  /** The owner's account at the panel. */
  readonly account: string | null;
  readonly panelEgg: string | null;
}

/** Reads what a build needs to know. */
export async function loadBuildContext(tx: Tx, { userId, eggId, locationId, panel }: ServerRow): Promise<BuildContext> {
  return {
    user: await tx.identity.findUser(userId),
    egg: await tx.catalog.egg(eggId),
    location: await tx.catalog.location(locationId),
    account: panel === null ? null : ((await tx.panelLinks.findAccount(panel, userId))?.account ?? null),
    panelEgg: panel === null ? eggId : await tx.panelLinks.findPanelEgg(eggId, panel),
  };
}

import type { Panel, PanelCatalogue } from './ports.ts';

/**
 * The panels there are now (behaviour 6.7: several at once). Asked again for each call: panels come and go while the
 * product runs.
 */
export interface PanelRegistry {
  /**
   * The panel of a server; null stands for the embedded one. Out: null where it is removed or disabled, which is
   * treated as `unavailable` and proves nothing.
   */
  find(panel: string | null): Panel | null;
  /** The catalogue side of a real panel; null where it is removed or disabled. */
  findCatalogue(panel: string): PanelCatalogue | null;
  /** Every panel in use: the embedded one has the id null. */
  list(): Promise<readonly { readonly id: string | null; readonly name: string }[]>;
}

/** A registry of panels that never change: the embedded one alone, or those of a test. */
export function createFixedRegistry(
  panels: readonly {
    readonly id: string | null;
    readonly name: string;
    readonly panel: Panel;
    readonly catalogue?: PanelCatalogue;
  }[],
): PanelRegistry {
  const find = (id: string | null) => panels.find((each) => each.id === id);
  return {
    find: (id) => find(id)?.panel ?? null,
    findCatalogue: (id) => find(id)?.catalogue ?? null,
    list: () => Promise.resolve(panels.map(({ id, name }) => ({ id, name }))),
  };
}

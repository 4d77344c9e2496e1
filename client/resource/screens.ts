import type { AreaName } from '#shared/resources/index.ts';
import type { Operation } from '#shared/resources/types.ts';
import type { AnyOverrides, Overrides } from './area.ts';

/**
 * Loads the screen of an area's page, from its definition. The definitions load with the first of these pages; list,
 * form and delete page are a chunk each. In: the area, the operation, and a loader of the area's overrides.
 */
export async function loadAreaScreen(area: AreaName, operation: Operation, own?: () => Promise<AnyOverrides>) {
  const [{ RESOURCES }, make, overrides] = await Promise.all([
    import('#shared/resources/index.ts'),
    SCREEN_FACTORIES[operation](),
    own?.(),
  ]);
  const { Screen, ...rest } = make(RESOURCES[area], overrides as Overrides | undefined);
  return { ...rest, default: Screen };
}

const SCREEN_FACTORIES = {
  list: async () => (await import('./list.tsx')).listScreen,
  create: async () => (await import('./form.tsx')).createScreen,
  edit: async () => (await import('./form.tsx')).editScreen,
  delete: async () => (await import('./delete.tsx')).deleteScreen,
} as const satisfies Record<Operation, unknown>;

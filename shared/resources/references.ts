import { RESOURCES } from './index.ts';
import type { AnyResource } from './types.ts';

/** A field of an area that holds the id of another area's row. */
interface Reference {
  readonly definition: AnyResource;
  readonly field: string;
}

/** The fields of all areas that lead to a row of this one: its row is kept while one of them does. */
export function referencesTo(area: string): readonly Reference[] {
  return Object.values<AnyResource>(RESOURCES).flatMap((definition) =>
    Object.entries(definition.references).flatMap(([field, target]) =>
      target === area ? [{ definition, field }] : [],
    ),
  );
}

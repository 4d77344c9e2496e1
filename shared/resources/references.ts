import { RESOURCES } from './index.ts';
import type { AnyResource } from './types.ts';

/** A field of an area that holds the id of another area's row. */
interface Reference {
  readonly definition: AnyResource;
  readonly field: string;
}

/** The fields of all areas that refer to this one: a row is kept while one of them refers to it. */
export function referencesTo(area: string): readonly Reference[] {
  return Object.values<AnyResource>(RESOURCES).flatMap((definition) =>
    Object.entries(definition.references).flatMap(([field, target]) =>
      target === area ? [{ definition, field }] : [],
    ),
  );
}

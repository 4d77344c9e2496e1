import type { Endpoint } from '#shared/contract/endpoint.ts';

/** An id that nobody and nothing has. */
export const NOBODY = '01890000-0000-7000-8000-000000000000';

/** A value that a parameter of an endpoint takes: one of its words, else the id of nobody. */
export function sampleParam({ params }: Endpoint, name: string): string {
  const { shape = {} } = (params ?? {}) as {
    shape?: Readonly<Record<string, { _zod: { def: { entries?: object } } }>>;
  };
  const [first] = Object.values(shape[name]?._zod.def.entries ?? {});
  return typeof first === 'string' ? first : NOBODY;
}

import { setDeferredId, type DeferredWriter } from '#client/lib/deferred.tsx';

/** JSON that may stand in a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** Writes deferred values into the stream, one nonced script each. */
export function deferredWriter(nonce: string): DeferredWriter {
  return {
    nonce,
    script: (id, fulfilled, value) =>
      `(window.__dq=window.__dq||[]).push(${scriptJson([id, fulfilled ? 1 : 0, value])})`,
  };
}

/** Loader data as it goes into the page: promises become `{$d: id}` and get their identifier. */
export function dehydrate(loaderData: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(loaderData).map(([route, data]) => {
      if (typeof data !== 'object' || data === null || Array.isArray(data)) return [route, data];
      const values = Object.entries(data).map(([key, value]: [string, unknown]) => {
        if (!(value instanceof Promise)) return [key, value];
        const id = `${route}.${key}`;
        setDeferredId(value, id);
        value.catch(() => undefined);
        return [key, { $d: id }];
      });
      return [route, Object.fromEntries(values)];
    }),
  );
}

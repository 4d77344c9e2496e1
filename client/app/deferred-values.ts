import { setDeferredId } from '#client/lib/deferred.tsx';

/** A deferred value as the server streams it: its id, whether it was fulfilled, and the value or error. */
type Streamed = [id: string, fulfilled: 0 | 1, value: unknown];

/** The deferred values of the stream, resolved and pending. Out: the promise of a value by its id. */
function createDeferredValues(): (id: string) => Promise<unknown> {
  const pending = new Map<string, PromiseWithResolvers<unknown>>();
  const entryOf = (id: string) => {
    const known = pending.get(id);
    if (known) return known;
    const made = Promise.withResolvers<unknown>();
    made.promise.catch(() => undefined);
    pending.set(id, made);
    return made;
  };
  const receive = ([id, fulfilled, value]: Streamed) => {
    if (fulfilled) entryOf(id).resolve(value);
    else entryOf(id).reject(new Error('deferred'));
  };
  const early = window.__dq;
  if (Array.isArray(early)) early.forEach(receive);
  window.__dq = { push: receive };
  return (id) => {
    const { promise } = entryOf(id);
    setDeferredId(promise, id);
    return promise;
  };
}

/** Restores loader data: `{$d: id}` becomes the promise of that deferred value. */
export function reviveLoaderData(loaderData: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const deferred = createDeferredValues();
  return Object.fromEntries(Object.entries(loaderData).map(([route, data]) => [route, revive(data, deferred)]));
}

function revive(data: unknown, deferred: (id: string) => Promise<unknown>): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'object' && value !== null && '$d' in value && typeof value.$d === 'string'
        ? deferred(value.$d)
        : value,
    ]),
  );
}

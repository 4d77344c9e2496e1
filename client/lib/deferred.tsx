import { createContext, Suspense, use, useContext, type ReactNode } from 'react';

/** Identifiers of promises that travel from the server to the browser in the stream. */
const ids = new WeakMap<Promise<unknown>, string>();

/** Gives a promise its identifier for the stream. */
export function setDeferredId(promise: Promise<unknown>, id: string): void {
  ids.set(promise, id);
}

/** How a resolved value is written into the stream: a nonced script on the server, nothing in the browser. */
export interface DeferredWriter {
  readonly nonce: string;
  script(id: string, fulfilled: boolean, value: unknown): string;
}
export const DeferredWriterContext = createContext<DeferredWriter | null>(null);

interface Props<T> {
  /** A value of loader data that was not awaited, or one that was. */
  value: Promise<T> | T;
  fallback: ReactNode;
  /** Shown when the value could not be loaded. */
  failed: ReactNode;
  children: (value: T) => ReactNode;
}

/** Shows a value that may arrive after the page: the fallback first, then the value, streamed by the server. */
export function Deferred<T>({ value, fallback, failed, children }: Props<T>): ReactNode {
  if (!(value instanceof Promise)) return children(value);
  return (
    <Suspense fallback={fallback}>
      <Resolved promise={value} failed={failed}>
        {children}
      </Resolved>
    </Suspense>
  );
}

type Outcome<T> = { ok: true; value: T } | { ok: false };
const outcomes = new WeakMap<Promise<unknown>, Promise<Outcome<unknown>>>();

/** The outcome of a promise, the same object at each render, that never rejects. */
function toOutcome<T>(promise: Promise<T>): Promise<Outcome<T>> {
  let outcome = outcomes.get(promise) as Promise<Outcome<T>> | undefined;
  if (!outcome) {
    outcome = promise.then(
      (value): Outcome<T> => ({ ok: true, value }),
      (): Outcome<T> => ({ ok: false }),
    );
    outcomes.set(promise, outcome);
  }
  return outcome;
}

function Resolved<T>({
  promise,
  failed,
  children,
}: {
  promise: Promise<T>;
  failed: ReactNode;
  children: (value: T) => ReactNode;
}): ReactNode {
  const outcome = use(toOutcome(promise));
  const writer = useContext(DeferredWriterContext);
  const id = ids.get(promise);
  return (
    <>
      {outcome.ok ? children(outcome.value) : failed}
      {id !== undefined && (
        <script
          suppressHydrationWarning
          {...(writer ? { nonce: writer.nonce } : {})}
          dangerouslySetInnerHTML={{
            __html: writer ? writer.script(id, outcome.ok, outcome.ok ? outcome.value : null) : '',
          }}
        />
      )}
    </>
  );
}

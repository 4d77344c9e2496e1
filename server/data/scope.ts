import { AsyncLocalStorage } from 'node:async_hooks';
import type { Topic } from '#server/modules/kernel.ts';

/** One running transaction, as seen from the code inside it. */
export interface Scope {
  readonly kind: 'write' | 'read';
  readonly topics: Set<Topic>;
  /** False once the work has ended: a late statement of a forgotten promise must not join another's transaction. */
  open: boolean;
  /** The first failed statement. It dooms the transaction on both engines alike. */
  failed: { readonly error: unknown } | null;
}

const scopes = new AsyncLocalStorage<Scope>();

/** How long a transaction may take: one that waits for ever would keep everybody else from writing. */
export const TRANSACTION_MS = 60_000;

/**
 * Runs the work as the inside of a transaction. Rejects with what it threw, with a statement's error it swallowed, or
 * when it takes longer than `limitMs`; from then on its statements are refused.
 */
export async function inScope<T>(scope: Scope, work: () => Promise<T>, limitMs: number = TRANSACTION_MS): Promise<T> {
  try {
    const value = await scopes.run(scope, () => limited(work(), limitMs));
    if (scope.failed) throw scope.failed.error;
    return value;
  } finally {
    scope.open = false;
  }
}

function limited<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('a transaction took too long: it waits for something it must not wait for')),
      limitMs,
    );
    const end =
      <V>(finish: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        finish(value);
      };
    work.then(end(resolve), end(reject));
  });
}

export function newScope(kind: Scope['kind']): Scope {
  return { kind, topics: new Set(), open: true, failed: null };
}

/** The transaction the calling code runs in, if any. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** Whether the calling code runs inside a transaction: tests wrap outside ports (mail, panel) with it. */
export function insideTransaction(): boolean {
  return scopes.getStore()?.open === true;
}

/** A transaction inside another would wait for itself (SQLite) or starve the pool (PostgreSQL): it is refused. */
export function refuseNesting(): void {
  if (insideTransaction())
    throw new Error('a transaction was started inside another: pass the running one on as first argument');
}

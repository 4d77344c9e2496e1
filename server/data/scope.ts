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

/** Runs the work as the inside of a transaction. Rejects with what it threw, or with a statement's error it swallowed. */
export async function inScope<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  try {
    const value = await scopes.run(scope, work);
    if (scope.failed) throw scope.failed.error;
    return value;
  } finally {
    scope.open = false;
  }
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
  if (insideTransaction()) throw new Error('a transaction was started inside another: pass the running one on as first argument');
}

import type { ActionFunctionArgs } from 'react-router';

/** What a form's module exports. */
interface ActionModule<T> {
  action(args: ActionFunctionArgs): Promise<T>;
}
/** An action in its own chunk; `load` returns its module and may be called ahead of time. */
interface LazyAction<T> {
  (args: ActionFunctionArgs): Promise<T>;
  readonly load: () => Promise<ActionModule<T>>;
}

/**
 * An action in a chunk of its own, with the schemas it checks the form by: the page is shown and hydrated without them.
 * The router fetches the chunk as soon as the page has nothing else to do, so a form that is sent rarely waits for it.
 * For the pages that people see first.
 */
export function lazyAction<T>(load: () => Promise<ActionModule<T>>): LazyAction<T> {
  return Object.assign(async (args: ActionFunctionArgs) => (await load()).action(args), { load });
}

/** Whether an action is loaded lazily. */
export function isLazy<F extends object>(action: F): action is F & LazyAction<unknown> {
  return 'load' in action;
}

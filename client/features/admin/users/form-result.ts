import type { FormResult } from '#client/lib/form-action.ts';

/** A command whose answer says nothing. */
export async function done(command: Promise<unknown>): Promise<null> {
  await command;
  return null;
}

/** The result of a form that leads nowhere else; a redirect is thrown on. */
export function settled<T>(result: FormResult<T> | Response): FormResult<T> {
  if (result instanceof Response) throw result;
  return result;
}

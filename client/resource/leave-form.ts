import { redirect } from 'react-router';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { href } from '#shared/routes/href.ts';

/**
 * Leads to the address that follows a form of staff, or to the dashboard those whose form has `_stay`: they may not see
 * it.
 */
export function leaveTo(form: FormData, next: string): Response {
  return redirect(form.get('_stay') === null ? next : href('dashboard'));
}

/**
 * Does what a form of staff asks for that has nothing to be validated (a deletion, a reset), and leaves it as `leaveTo`
 * does. Out: what the form shows where that was refused.
 */
export async function runAndLeave(
  request: Request,
  next: string,
  run: (form: FormData) => Promise<unknown>,
): Promise<FormFailure | Response> {
  const form = await request.formData();
  try {
    await run(form);
    return leaveTo(form, next);
  } catch (error) {
    return toFormFailure(error, form);
  }
}

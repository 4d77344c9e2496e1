import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import type { BulkOutcome } from '#shared/contract/user-bulk.ts';
import { bulkMailInput, bulkRoleInput, bulkUsersInput } from '#shared/schemas/user-bulk.ts';

/** The outcome of a command on several users: which one was sent, and what came of it. */
export interface BulkAnswer {
  readonly intent: 'setRole' | 'confirm' | 'write';
  readonly result: FormResult<BulkOutcome>;
}

/** Runs a command on several users. */
export async function action(args: ActionFunctionArgs): Promise<BulkAnswer> {
  const { adminUserBulk } = apiOf(args);
  const { request } = args;
  const intent = String((await request.clone().formData()).get('_intent'));
  if (intent === 'setRole')
    return {
      intent,
      result: plain(await submitForm(request, bulkRoleInput, (body) => adminUserBulk.setRole({ body }))),
    };
  if (intent === 'write')
    return {
      intent,
      result: plain(
        await submitForm(request, bulkMailInput, (body, key) => adminUserBulk.write({ body }, key ? { key } : {})),
      ),
    };
  return {
    intent: 'confirm',
    result: plain(await submitForm(request, bulkUsersInput, (body) => adminUserBulk.confirm({ body }))),
  };
}

/** None of these commands leads elsewhere. */
function plain<T>(result: FormResult<T> | Response): FormResult<T> {
  if (result instanceof Response) throw result;
  return result;
}

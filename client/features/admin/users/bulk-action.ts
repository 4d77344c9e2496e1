import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import type { BulkOutcome } from '#shared/contract/user-bulk.ts';
import {
  bulkAllInput,
  bulkAllMailInput,
  bulkAllRoleInput,
  bulkMailInput,
  bulkRoleInput,
  bulkUsersInput,
} from '#shared/schemas/user-bulk.ts';

/** The outcome of a command on several users: which one was sent, and what came of it. */
export type BulkAnswer =
  { readonly intent: 'setRole' | 'confirm' | 'write'; readonly result: FormResult<BulkOutcome> } | AllAnswer;
/** The same of a command on all who match: it was started. */
interface AllAnswer {
  readonly intent: 'setRoleAll' | 'confirmAll' | 'writeAll';
  readonly result: FormResult<{ readonly id: string }>;
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
  if (intent === 'confirm')
    return {
      intent,
      result: plain(await submitForm(request, bulkUsersInput, (body) => adminUserBulk.confirm({ body }))),
    };
  return startForAll(adminUserBulk, request, intent);
}

/** Starts a command on all who match. */
async function startForAll(api: Api['adminUserBulk'], request: Request, intent: string): Promise<AllAnswer> {
  if (intent === 'setRoleAll')
    return {
      intent,
      result: plain(
        await submitForm(request, bulkAllRoleInput, (body, key) => api.setRoleAll({ body }, key ? { key } : {})),
      ),
    };
  if (intent === 'writeAll')
    return {
      intent,
      result: plain(
        await submitForm(request, bulkAllMailInput, (body, key) => api.writeAll({ body }, key ? { key } : {})),
      ),
    };
  return {
    intent: 'confirmAll',
    result: plain(await submitForm(request, bulkAllInput, (body, key) => api.confirmAll({ body }, key ? { key } : {}))),
  };
}

/** None of these commands leads elsewhere. */
function plain<T>(result: FormResult<T> | Response): FormResult<T> {
  if (result instanceof Response) throw result;
  return result;
}

import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';

/** What was done, for the banner. */
type WebhookDone =
  | { readonly done: 'test' }
  | { readonly done: 'resend'; readonly count: number }
  | { readonly done: 'rotate'; readonly secret: string };
export type WebhookAnswer = FormResult<WebhookDone>;

/** Sends a test, sends what failed once more, or gives it a new secret: whatever the form's button is for. */
export async function action(args: ActionFunctionArgs): Promise<WebhookAnswer | null> {
  const api = apiOf(args).adminWebhooks;
  const params = { id: args.params.id ?? '' };
  const form = await args.request.formData();
  const intent = form.get('intent');
  const at = `${String(intent)} ${Date.now()}`;
  try {
    if (intent === 'rotate') {
      if (form.get('sure') !== 'on') return null;
      const { secret } = await api.rotate({ params });
      return { ok: true, result: { done: 'rotate', secret }, at };
    }
    if (intent === 'resend') {
      const { count } = await api.resendFailed({ params, body: { hours: Number(form.get('hours')) } });
      return { ok: true, result: { done: 'resend', count }, at };
    }
    await api.test({ params });
    return { ok: true, result: { done: 'test' }, at };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

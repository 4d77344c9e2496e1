import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { submitAnnouncement } from './submit.ts';

type Answer = FormResult<{ readonly revision: number }>;

/** Stores the announcement, or brings back what a revision of it said. */
export async function action(args: ActionFunctionArgs): Promise<Answer | Response> {
  const { adminAnnouncements: api } = apiOf(args);
  const form = await args.request.formData();
  const params = { id: args.params.id ?? '' };
  const revision = Number(form.get('_revision'));
  if (form.get('_intent') !== 'restore')
    return submitAnnouncement(form, (announcement, key) => api.save({ params, body: { announcement, revision } }, key));
  try {
    const body = { restores: Number(form.get('_restores')), revision };
    const result = await api.restore({ params, body });
    return { ok: true, result, at: `restore-${result.revision}` };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

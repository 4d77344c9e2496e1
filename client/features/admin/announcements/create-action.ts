import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { href } from '#shared/routes/staff-href.ts';
import { submitAnnouncement } from './submit.ts';

/** Makes the announcement. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<never> | Response> {
  const form = await args.request.formData();
  return submitAnnouncement(form, async (body, key) => {
    const { id } = await apiOf(args).adminAnnouncements.create({ body }, key);
    const next = form.get('_next');
    return redirect(
      next === 'edit'
        ? `${href('admin.announcements.edit', { id })}?done=create`
        : href(next === 'list' ? 'admin.announcements.list' : 'dashboard'),
    ) as never;
  });
}

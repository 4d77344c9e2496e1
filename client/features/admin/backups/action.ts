import { redirect, redirectDocument } from 'react-router';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';

/** What was done: a task has begun, something is over, or the recovery key. */
export type BackupsAnswer = FormResult<{ readonly done: 'begun' } | { readonly done: 'key'; readonly key: string }>;

/** The recovery key or passphrase that was typed; none: this installation's own. */
function keyIn(form: FormData): { key?: string } {
  const typed = String(form.get('key') ?? '');
  return typed.trim() === '' ? {} : { key: typed };
}

/** Does what a form of the page asks for, by `_intent`; `id` is the backup's. */
export async function changeBackups(api: Api['adminBackups'], form: FormData): Promise<BackupsAnswer | Response> {
  const id = String(form.get('id') ?? '');
  const params = { id };
  const begun = { ok: true, result: { done: 'begun' }, at: id } as const;
  try {
    switch (form.get('_intent')) {
      case 'createLocked':
        await api.createLocked({ body: { passphrase: String(form.get('passphrase') ?? '') } });
        return redirect(href('admin.backups'));
      case 'verify':
        await api.verify({ params, body: keyIn(form) });
        return begun;
      case 'send':
        await api.send({ params });
        return begun;
      case 'fetch':
        await api.fetch({ params });
        return begun;
      case 'removeRemote':
        await api.removeRemote({ params });
        return redirect(href('admin.backups'));
      case 'download':
        await api.prepare({ params });
        return redirectDocument(`/api/admin/backups/${encodeURIComponent(id)}/file`);
      case 'delete':
        await api.remove({ params });
        return redirect(`${href('admin.backups')}?done=delete`);
      case 'key':
        return { ok: true, result: { done: 'key', ...(await api.showKey({})) }, at: 'key' };
      case 'restore':
        await api.restore({ params, body: { day: String(form.get('day') ?? ''), ...keyIn(form) } });
        return redirect(`${href('admin.backups')}?done=restore`);
      case 'create':
        await api.create({});
        return begun;
      default:
        // A form that asks for nothing begins nothing.
        return redirect(href('admin.backups'));
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A key that was typed never comes back in the answer.
    for (const secret of ['key', 'passphrase']) form.delete(secret);
    return toFormFailure(error, form);
  }
}

import * as z from 'zod/mini';
import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';
import { reportNoteInput } from '#shared/schemas/image-report.ts';
import { banInput } from '#shared/schemas/staff-user.ts';

/** What was done, for the banner. */
type ReportDone = 'hide' | 'delete' | 'reject' | 'ban' | 'allow' | 'note';
export type ReportAnswer = FormResult<ReportDone>;

const banForm = z.omit(banInput, { reject_held: true });
/** Commands that ask first: they come with `sure`. */
const ASKED = new Set(['delete', 'ban', 'allow', 'remove']);

/** Decides, bans, notes, allows again or deletes the report: whatever the form's button is for. */
export async function action(args: ActionFunctionArgs): Promise<ReportAnswer | Response | null> {
  const api = apiOf(args).adminImageReports;
  const params = { id: args.params.id ?? '' };
  const form = await args.request.clone().formData();
  const intent = String(form.get('intent') ?? '');
  if (ASKED.has(intent) && form.get('sure') !== 'on') return null;
  if (intent === 'note')
    return submitForm(args.request, reportNoteInput, async (body): Promise<ReportDone> => {
      await api.note({ params, body });
      return 'note';
    });
  if (intent === 'ban')
    return submitForm(args.request, banForm, async (body): Promise<ReportDone> => {
      await api.ban({ params, body });
      return 'ban';
    });
  try {
    if (intent === 'remove') {
      await api.remove({ params });
      return redirect(href('admin.imageReports.list'));
    }
    return { ok: true, result: await run(api, params, intent), at: `${intent} ${Date.now()}` };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

async function run(api: Api['adminImageReports'], params: { id: string }, intent: string): Promise<ReportDone> {
  if (intent === 'allow') {
    await api.allow({ params });
    return 'allow';
  }
  const decision = intent === 'hide' || intent === 'delete' ? intent : 'reject';
  await api.decide({ params, body: { decision } });
  return decision;
}

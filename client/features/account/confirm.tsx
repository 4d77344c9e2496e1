import type { ReactNode } from 'react';
import { redirectDocument, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { isOwnPath } from '#client/lib/redirect-target.ts';
import { href } from '#shared/routes/href.ts';
import { changePasskeys, type PasskeysAnswer } from './passkeys-action.ts';
import { ConfirmForm } from './passkeys-card.tsx';

/** How the visitor can confirm who they are. */
export const loader = (args: LoaderFunctionArgs) => apiOf(args).passkeys.list();

/** Confirms who the visitor is, and goes on to where they were (`to`, a path of ours). */
export async function action(args: ActionFunctionArgs): Promise<PasskeysAnswer | Response> {
  const form = await args.request.clone().formData();
  if (form.get('_intent') !== 'confirmPasskey') form.set('_intent', 'confirm');
  const answer = await changePasskeys(apiOf(args), args.request, form);
  if (answer instanceof Response || !answer.result.ok) return answer;
  const to = new URL(args.request.url).searchParams.get('to') ?? '';
  return redirectDocument(isOwnPath(to) ? to : href('dashboard'));
}

/** /auth/confirm: a command came from another browser or network, or staff have to confirm anew (behaviour 3.11). */
export default function ConfirmScreen(): ReactNode {
  const t = useT('passkeys');
  const page = useLoaderData<typeof loader>();
  const answer = useActionData() as PasskeysAnswer | undefined;
  return (
    <>
      <div className="sp-auth__head">
        <h1>{t('trustTitle')}</h1>
        <p>{t('trustText')}</p>
      </div>
      <ConfirmForm page={page} answer={answer} />
    </>
  );
}

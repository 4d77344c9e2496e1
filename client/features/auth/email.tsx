import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead } from './parts.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';

/** The token of the link, and whether it undoes a change. Nothing happens by opening the page (behaviour 1). */
export function loader({ request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  return { token: query.get('token')?.slice(0, 200) ?? '', undo: query.get('undo') === 'yes' };
}

/** Confirms the new address, or gives the account back to the old one. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<null>> {
  const api = apiOf(args);
  const form = await args.request.formData();
  const body = { token: String(form.get('token') ?? '') };
  try {
    await (form.get('_intent') === 'undo' ? api.accountEmail.undo({ body }) : api.accountEmail.confirm({ body }));
    return { ok: true, result: null, at: '' };
  } catch (error) {
    const refused = toFormFailure(error, form);
    // An empty or overlong token is no more than a link that does not work.
    const code = refused.code === 'VALIDATION_FAILED' ? 'EMAIL_LINK_INVALID' : refused.code;
    return { ...refused, fields: {}, code };
  }
}

/** /auth/email, opened by a link of an e-mail (behaviour 3.8). */
export default function EmailScreen(): ReactNode {
  const t = useT('emailChange');
  const { token, undo } = useLoaderData<typeof loader>();
  const answer = useActionData() as FormResult<null> | undefined;
  const shown = useFormProps(answer);
  if (answer?.ok) return <Done undone={undo} />;
  if (!token || (answer && answer.code === 'EMAIL_LINK_INVALID')) return <BadLink undo={undo} />;
  return (
    <>
      <AuthHead title={t(undo ? 'undoTitle' : 'confirmTitle')} text={t(undo ? 'undoText' : 'confirmText')} />
      <Form {...shown}>
        <input type="hidden" name="_intent" value={undo ? 'undo' : 'confirm'} />
        <input type="hidden" name="token" value={token} />
        <Button type="submit" variant="primary" size="lg" icon={undo ? 'shield-check' : 'check'} block>
          {t(undo ? 'undo' : 'confirm')}
        </Button>
      </Form>
    </>
  );
}

function Done({ undone }: { undone: boolean }): ReactNode {
  const t = useT('emailChange');
  const signedIn = useShell().session.signedIn && !undone;
  return (
    <>
      <AuthHead title={t(undone ? 'undoneTitle' : 'doneTitle')} text={t(undone ? 'undoneText' : 'doneText')} />
      <LinkButton to={href(signedIn ? 'account' : 'auth.login')} variant="primary" size="lg" block>
        {t(signedIn ? 'toAccount' : 'toLogin')}
      </LinkButton>
    </>
  );
}

function BadLink({ undo }: { undo: boolean }): ReactNode {
  const t = useT('emailChange');
  const { signedIn } = useShell().session;
  return (
    <>
      <AuthHead
        title={t('badTitle')}
        text={
          undo ? (
            <>
              {t('badUndoText')} <SupportLinks />
            </>
          ) : (
            t('badText')
          )
        }
      />
      <LinkButton to={href(signedIn ? 'account' : 'auth.login')} variant="primary" size="lg" block>
        {t(signedIn ? 'toAccount' : 'toLogin')}
      </LinkButton>
    </>
  );
}

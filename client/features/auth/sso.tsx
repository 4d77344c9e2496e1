import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { ConsentRedirect } from '#client/ui/consent-redirect.tsx';
import { ssoStartInput } from '#shared/schemas/sso.ts';
import { AuthHead, ToLogin } from './parts.tsx';
import { SsoButtons } from './sso-buttons.tsx';

/** The services there are. */
export async function loader(args: LoaderFunctionArgs) {
  const { providers } = await apiOf(args).auth.options();
  return { providers };
}

/** Begins a log-in: gives the address of the service's consent page. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, ssoStartInput, (body) => apiOf(args).sso.start({ body }));
}

/** /auth/sso: the services of the host that can be signed in with. */
export default function SsoScreen(): ReactNode {
  const t = useT('sso');
  const { providers } = useLoaderData<typeof loader>();
  const answer = useActionData() as FormResult<{ url: string }> | undefined;
  const { problem } = useFormProps(answer);
  const some = providers.length > 0;
  return (
    <>
      <AuthHead title={t(some ? 'title' : 'noneTitle')} text={t(some ? 'text' : 'noneText')} />
      {answer && !answer.ok && (
        <Banner tone="danger" live>
          {problem ?? t('emptyReturn')}
        </Banner>
      )}
      {answer?.ok ? (
        <ConsentRedirect url={answer.result.url} text={t('onward')} link={t('toService')} />
      ) : (
        <SsoButtons providers={providers} alone />
      )}
      <ToLogin />
    </>
  );
}

import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useSubmit } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { consumeTarget } from '#client/lib/redirect-target.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { SECOND_FACTOR_PATH } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import { ssoReturnInput } from '#shared/schemas/sso.ts';
import { SSO_PURPOSES } from '#shared/sso.ts';
import { BanNotice } from './ban-notice.tsx';
import { AuthHead, ToLogin } from './parts.tsx';

const LINKED = `${href('account')}?tab=linked`;
const isLink = (state: string): boolean => state.startsWith(SSO_PURPOSES.link);

/** What the service sent back with the browser. Nothing is done with it yet: a GET changes nothing. */
export function loader({ request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const given = (name: string): string => query.get(name) ?? '';
  return { code: given('code'), state: given('state'), iss: given('iss'), declined: query.get('error') !== null };
}

/** Ends what was begun, and leads on: into the product, to the second factor, to the form of a new account. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, ssoReturnInput, async (body) => {
    const api = apiOf(args);
    if (isLink(body.state)) {
      await api.linked.finish({ body });
      return redirect(LINKED);
    }
    const { next } = await api.sso.finish({ body });
    if (next === 'register') return redirect(href('auth.ssoRegister'));
    return redirect(next === 'second-factor' ? SECOND_FACTOR_PATH : consumeTarget(args.request));
  });
}

/**
 * /auth/sso/callback: where services send people back to. With scripts the form sends itself; without them it is one
 * click.
 */
export default function SsoCallbackScreen(): ReactNode {
  const t = useT('sso');
  const { code, state, iss, declined } = useLoaderData<typeof loader>();
  const answer = useActionData() as FormResult<never> | undefined;
  const { problem } = useFormProps(answer);
  const submit = useSubmit();
  const good = !declined && code !== '' && state !== '';
  // An effect, because the form is sent without anybody's click: once, when the page has come from the service.
  useEffect(() => {
    const sent = { code, state, ...(iss ? { iss } : {}) };
    if (good && !answer) void submit(sent, { method: 'post', replace: true });
  }, [good, answer, code, state, iss, submit]);
  const back = isLink(state) ? (
    <LinkButton to={LINKED} size="lg" block>
      {t('toLinked')}
    </LinkButton>
  ) : (
    <ToLogin />
  );
  if (answer || !good) {
    return (
      <>
        <AuthHead title={t(isLink(state) ? 'linkTitle' : 'title')} />
        <Banner tone={declined ? 'info' : 'danger'} live>
          {declined ? t('declined') : (problem ?? t('emptyReturn'))}
        </Banner>
        {answer?.ok === false && answer.ban && <BanNotice ban={answer.ban} />}
        {back}
      </>
    );
  }
  return (
    <>
      <AuthHead title={t('finishing')} text={t('finishText')} />
      <Form noSummary>
        <input type="hidden" name="code" value={code} />
        <input type="hidden" name="state" value={state} />
        {iss && <input type="hidden" name="iss" value={iss} />}
        <Button type="submit" variant="primary" size="lg" block>
          {t('finish')}
        </Button>
        {back}
      </Form>
    </>
  );
}

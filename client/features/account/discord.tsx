import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useSubmit } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { href } from '#shared/routes/href.ts';
import { linkInput } from '#shared/schemas/linked.ts';

/** The parameters of Discord's redirect. The form sends them: a GET changes nothing. */
export function loader({ request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  return { code: query.get('code') ?? '', state: query.get('state') ?? '', declined: query.get('error') !== null };
}

/** Completes the link, then redirects to the account. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, linkInput, async (body) => {
    await apiOf(args).linked.finishDiscord({ body });
    return redirect(`${href('account')}?tab=linked`);
  });
}

/**
 * /account/linked/discord: the target of Discord's redirect. With scripts the form submits itself; without them it
 * takes one click.
 */
export default function DiscordScreen(): ReactNode {
  const t = useT('linkedAccounts');
  const { code, state, declined } = useLoaderData<typeof loader>();
  const answer = useActionData() as FormResult<never> | undefined;
  const { problem } = useFormProps(answer);
  const submit = useSubmit();
  const good = !declined && code !== '' && state !== '';
  // An effect, because the form is submitted without a click: once, after Discord's redirect.
  useEffect(() => {
    if (good && !answer) void submit({ code, state }, { method: 'post', replace: true });
  }, [good, answer, code, state, submit]);
  const back = <LinkButton to={`${href('account')}?tab=linked`}>{t('back')}</LinkButton>;
  return (
    <Page narrow>
      <PageHead title={t('finishTitle')} />
      {answer || !good ? (
        <>
          <Banner tone={declined ? 'info' : 'danger'} live>
            {declined ? t('declined') : (problem ?? t('emptyReturn'))}
          </Banner>
          <div className="sp-btn-row">{back}</div>
        </>
      ) : (
        <Card text={t('finishText')} title={t('finishing')}>
          <Form noSummary>
            <input type="hidden" name="code" value={code} />
            <input type="hidden" name="state" value={state} />
            <div className="sp-btn-row">
              <Button type="submit" variant="primary">
                {t('finish')}
              </Button>
              {back}
            </div>
          </Form>
        </Card>
      )}
    </Page>
  );
}

import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { AuthHead } from './parts.tsx';

/** What the link of the mail is about. Opening it changes nothing: programs that look at mails open links. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).mailKinds.byLink({ params: { token: args.params.token ?? '' } });
}

/** Turns the mails of a kind off, or on again. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<null>> {
  const form = await args.request.formData();
  const wanted = form.get('wanted') === 'true';
  try {
    await apiOf(args).mailKinds.saveByLink({ params: { token: args.params.token ?? '' }, body: { wanted } });
    return { ok: true, result: null, at: String(wanted) };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The link names nobody, so the title does not either. */
export const pageName = (): null => null;

/** /unsubscribe/:token (behaviour 7.5) */
export default function UnsubscribeScreen(): ReactNode {
  const t = useT('auth');
  const { kind, wanted } = useLoaderData<typeof loader>();
  const answer = useActionData<FormResult<null>>();
  const shown = useFormProps(answer);
  const name = t(`mailKind.${kind}`);
  return (
    <>
      <AuthHead
        title={wanted ? t('unsubscribeTitle') : t('unsubscribedTitle')}
        text={wanted ? t('unsubscribeText', { kind: name }) : t('unsubscribedText', { kind: name })}
      />
      {answer?.ok === true && wanted && (
        <Banner tone="positive" live>
          {t('subscribedAgain')}
        </Banner>
      )}
      <Form {...shown}>
        <input type="hidden" name="wanted" value={String(!wanted)} />
        <Button type="submit" variant={wanted ? 'primary' : 'ghost'} size="lg" block>
          {wanted ? t('unsubscribe') : t('subscribeAgain')}
        </Button>
      </Form>
    </>
  );
}

import type { ReactNode } from 'react';
import { Form as GetForm, redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/staff-href.ts';
import { useStaffErrors } from '../parts/servers.tsx';
import { toRequestBody, createForm, toFormFields } from './create-form.ts';
import { CreateForm } from './create-fields.tsx';

/**
 * Nothing without an owner in the address; otherwise the options of a server for that user, or why it cannot be
 * created.
 */
export async function loader(args: LoaderFunctionArgs) {
  const owner = new URL(args.request.url).searchParams.get('owner')?.trim().slice(0, 254) ?? '';
  if (owner === '') return { typed: '', refused: null, creation: null };
  try {
    return { typed: owner, refused: null, creation: await apiOf(args).adminServerQueue.options({ query: { owner } }) };
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'VALIDATION_FAILED' || error.code === 'ACCOUNT_BANNED'))
      return { typed: owner, refused: error.code, creation: null };
    throw error;
  }
}
export type CreateData = NonNullable<Awaited<ReturnType<typeof loader>>['creation']>;

/** Queues the server and goes to its entry. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const answer = await submitForm(args.request, createForm, async (form, key) => {
    const made = await apiOf(args).adminServerQueue.create({ body: toRequestBody(form) }, key ? { key } : {});
    return redirect(href('admin.serverQueue.view', { id: made.queue_id }));
  });
  return answer instanceof Response ? answer : toFormFields(answer as FormFailure);
}

/** /mc-admin/server-queue/create */
export default function CreateForScreen(): ReactNode {
  const t = useT('staffServers');
  const { typed, refused, creation } = useLoaderData<typeof loader>();
  const answer = useActionData<FormFailure>();
  const { flags } = useShell();
  return (
    <Page narrow>
      <PageHead title={t('createTitle')} text={t('createText')} crumbs={useCrumbs()} />
      {!flags.allow_servers && <Banner tone="warning">{t('createOff')}</Banner>}
      <Card title={t('forWhom')}>
        <GetForm method="get" className="sp-form">
          <div className="sp-form__set">
            <OwnerField typed={typed} refused={refused} />
            <div className="sp-btn-row">
              <Button type="submit" {...(creation === null ? { variant: 'primary' as const } : {})} icon="search">
                {t('choose')}
              </Button>
            </div>
          </div>
        </GetForm>
      </Card>
      {creation !== null && <CreateForm key={creation.owner.id} data={creation} answer={answer} />}
    </Page>
  );
}

function OwnerField({ typed, refused }: { typed: string; refused: string | null }): ReactNode {
  const t = useT('staffServers');
  const text = useStaffErrors();
  const error = refused === null ? undefined : refused === 'VALIDATION_FAILED' ? t('ownerUnknown') : text.code(refused);
  return (
    <Field label={t('newOwner')} name="owner" required hint={t('ownerHint')} error={error}>
      <TextInput
        key={typed}
        defaultValue={typed}
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={254}
      />
    </Field>
  );
}

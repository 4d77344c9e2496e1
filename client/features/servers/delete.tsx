import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { CarriedDebtView, ServerView } from '#shared/contract/server-views.ts';
import { href } from '#shared/routes/href.ts';
import { serverDeleteInput } from '#shared/schemas/server.ts';
import { BOLD, EggBlock, amountText } from './parts.tsx';
import { statusOf } from './server-text.ts';

/** The server to delete. */
export async function loader(args: LoaderFunctionArgs) {
  const { server, debt_if_deleted: debtIfDeleted } = await apiOf(args).servers.get({
    params: { id: args.params.id ?? '' },
  });
  return { server, debtIfDeleted };
}

/** Deletes the server if its name was typed, and goes to the dashboard. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, serverDeleteInput, async (body) => {
    await apiOf(args).servers.delete({ params: { id: args.params.id ?? '' }, body });
    return redirect(href('dashboard'));
  });
}

/** The document's title begins with it. */
export const pageName = ({ server }: Awaited<ReturnType<typeof loader>>): string => server.name;

/** /server/:id/delete (behaviour 6.6) */
export default function DeleteScreen(): ReactNode {
  const t = useT('servers');
  const { server, debtIfDeleted } = useLoaderData<typeof loader>();
  const nowMs = useNow();
  const { id, name } = server;
  const { shape, label } = statusOf(server, nowMs, t);
  const there = server.state === 'active' || server.state === 'suspended';
  return (
    <Page narrow>
      <PageHead
        title={t('deleteTitle', { name })}
        text={t('deleteText')}
        picture={<EggBlock egg={server.egg} size="lg" off={!there} />}
        badge={<Status shape={shape}>{label}</Status>}
        crumbs={useCrumbs({ 'server.view': name })}
      />
      {server.can.delete ? (
        <Card title={t('deleteWhat')} tone="danger" flush>
          {there ? (
            <DeletionSummary server={server} debtIfDeleted={debtIfDeleted} nowMs={nowMs} />
          ) : (
            <CardSection>
              <p className="sp-lead">{t('deleteFailedText')}</p>
            </CardSection>
          )}
          <CardSection>
            <DeleteForm server={server} />
          </CardSection>
        </Card>
      ) : (
        <Banner
          tone="warning"
          action={
            <LinkButton size="sm" to={href('server.view', { id })}>
              {t('backToServer', { name })}
            </LinkButton>
          }
        >
          {server.state === 'deleting' ? <Rich t={t} k="deletingText" tags={BOLD} /> : t('deleteNotNow')}
        </Banner>
      )}
    </Page>
  );
}

/** What is lost with the server, and what is returned. */
function DeletionSummary({
  server,
  debtIfDeleted,
  nowMs,
}: {
  server: ServerView;
  debtIfDeleted: CarriedDebtView | null;
  nowMs: number;
}): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { resources, address, expires_at: expires, state } = server;
  const goes = [
    t('deleteWorld'),
    resources.backups > 0 && t('deleteBackups', { count: resources.backups }),
    resources.databases > 0 && t('deleteDatabases', { count: resources.databases }),
    address !== null && t('deleteAddress', { address }),
    expires !== null &&
      state === 'active' &&
      Date.parse(expires) > nowMs &&
      t('deletePaid', { date: format.date(expires) }),
  ].filter((line): line is string => typeof line === 'string');
  const amount = (kind: 'memory' | 'disk' | 'cpu'): string => amountText(kind, resources[kind], format);
  return (
    <>
      <CardSection>
        <ul className="sp-goes">
          {goes.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </CardSection>
      {debtIfDeleted !== null && (
        <CardSection>
          <Banner tone={debtIfDeleted.owed > 0 ? 'warning' : 'info'}>
            {debtIfDeleted.owed > 0
              ? t('deleteOwes', { date: format.date(debtIfDeleted.until), amount: format.credits(debtIfDeleted.owed) })
              : t('deleteEnds', { date: format.date(debtIfDeleted.ended_at) })}
            .
          </Banner>
        </CardSection>
      )}
      <CardSection
        title={t('deleteBack')}
        text={t('deleteBackText', { memory: amount('memory'), disk: amount('disk'), cpu: amount('cpu') })}
      />
    </>
  );
}

function DeleteForm({ server }: { server: ServerView }): ReactNode {
  const t = useT('servers');
  const answer = useFormProps(useActionData() as FormResult<unknown> | undefined);
  // A wrong name is a field error; any other refusal is a general one.
  const problem = answer.errors.name === undefined ? answer.problem : undefined;
  return (
    <Form {...answer} noSummary noValidate>
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      <Field label={<Rich t={t} k="deleteType" tags={BOLD} vars={{ name: server.name }} />} name="name" required>
        <TextInput
          size="lg"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={64}
        />
      </Field>
      <div className="sp-form__foot">
        <LinkButton to={href('server.view', { id: server.id })}>{t('keep')}</LinkButton>
        <Button type="submit" variant="danger" icon="trash">
          {t(server.state === 'failed' ? 'remove' : 'deleteServer')}
        </Button>
      </div>
    </Form>
  );
}

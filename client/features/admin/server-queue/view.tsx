import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { Timeline } from '#client/ui/timeline.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Moment, Owner, QUEUE_SHAPES, RefusalBanner, ServerName, useAmounts, useStepText } from '../parts/servers.tsx';

/** One entry with all steps of its log. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminServerQueue.get({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;

/** Retries or cancels the entry; distinguished by `_intent`. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  const api = apiOf(args).adminServerQueue;
  const params = { id: args.params.id ?? '' };
  const key = form.get('_key');
  try {
    if (form.get('_intent') === 'cancel') {
      await api.cancel({ params });
      return redirect(href('admin.serverQueue.view', params));
    }
    const { id } = await api.retry({ params }, typeof key === 'string' && key !== '' ? { key } : {});
    return redirect(href('admin.serverQueue.view', { id }));
  } catch (error) {
    return toFormFailure(error, form);
  }
}

const BUSY_MS = 2000;

/** The document's title begins with it. */
export const pageName = ({ entry }: Data): string => entry.server.name;

/** /mc-admin/server-queue/:id */
export default function EntryScreen(): ReactNode {
  const t = useT('staffServers');
  const data = useLoaderData<typeof loader>();
  const { entry } = data;
  const refused = useActionData<FormFailure>();
  const words = useStepText();
  useRefresh(BUSY_MS, entry.state === 'queued' || entry.state === 'building');
  return (
    <Page>
      <PageHead
        title={entry.server.name}
        badge={<Status shape={QUEUE_SHAPES[entry.state]}>{t(`queueState.${entry.state}`)}</Status>}
        crumbs={useCrumbs({ 'admin.serverQueue.view': entry.server.name })}
        actions={<Actions data={data} />}
      />
      {refused && <RefusalBanner answer={refused} />}
      {entry.waiting !== null && (
        <Banner tone="warning">{words.detail({ code: 'postponed', detail: entry.waiting.cause })}</Banner>
      )}
      {entry.waiting === null && entry.last_error !== null && (
        <Banner tone={entry.state === 'failed' ? 'danger' : 'warning'}>
          {words.detail({ code: entry.state === 'failed' ? 'failed' : 'retry', detail: entry.last_error })}
        </Banner>
      )}
      <div className="sp-split">
        <Card title={t('steps')}>
          {data.steps.length === 0 ? (
            <p className="sp-lead">{t('noSteps')}</p>
          ) : (
            <Timeline label={t('steps')} items={data.steps.map((step) => words.item(step, 'step')).toReversed()} />
          )}
        </Card>
        <div className="sp-stack">
          <Card title={t('facts')}>
            <Facts items={useFacts(data)} />
          </Card>
          {data.resources !== null && <Amounts resources={data.resources} />}
        </div>
      </div>
    </Page>
  );
}

function Amounts({ resources }: { resources: NonNullable<Data['resources']> }): ReactNode {
  const t = useT('staffServers');
  return (
    <Card title={t('resources')}>
      <Facts items={useAmounts(resources)} />
    </Card>
  );
}

function Actions({ data: { entry, can: may } }: { data: Data }): ReactNode {
  const t = useT('staffServers');
  const { permissions } = useShell().session;
  const deletes = can(permissions, 'admin.server.queue.delete');
  return (
    <>
      {deletes && may.delete && (
        <LinkButton to={href('admin.serverQueue.delete', { id: entry.id })} variant="danger-quiet" icon="trash">
          {t('deleteEntry')}
        </LinkButton>
      )}
      {deletes && may.cancel && (
        <Form noSummary>
          <input type="hidden" name="_intent" value="cancel" />
          <Button type="submit" icon="x">
            {t('cancelEntry')}
          </Button>
        </Form>
      )}
      {can(permissions, 'admin.server.queue.create') && may.retry && (
        <Form noSummary>
          <FormKey />
          <input type="hidden" name="_intent" value="retry" />
          <Button type="submit" variant="primary" icon="refresh">
            {t('retryEntry')}
          </Button>
        </Form>
      )}
    </>
  );
}

function useFacts({ entry, position, estimate_s: estimate, egg }: Data) {
  const t = useT('staffServers');
  const format = useFormat();
  return [
    {
      label: t('server'),
      value:
        entry.server.state === 'deleted' ? (
          `${entry.server.name} (${t('state.deleted')})`
        ) : (
          <ServerName server={entry.server} />
        ),
    },
    { label: t('owner'), value: <Owner owner={entry.owner} /> },
    { label: t('location'), value: entry.location.name },
    { label: t('panel'), value: entry.panel?.name ?? t('builtIn') },
    { label: t('software'), value: egg ?? t('notInCatalogue') },
    ...(position === null ? [] : [{ label: t('position'), value: format.number(position) }]),
    ...(estimate === null ? [] : [{ label: t('estimate'), value: format.duration(estimate * 1000) }]),
    { label: t('attempts'), value: format.number(entry.attempts) },
    { label: t('requestedAt'), value: <Moment at={entry.created_at} /> },
    { label: t('startedAt'), value: <Moment at={entry.started_at} /> },
    ...(entry.waiting === null ? [] : [{ label: t('waitsSince'), value: <Moment at={entry.waiting.since} /> }]),
    ...(entry.next_at === null ? [] : [{ label: t('nextTry'), value: <Moment at={entry.next_at} /> }]),
    { label: t('endedAt'), value: <Moment at={entry.done_at} /> },
    { label: t('id'), value: <code>{entry.id}</code> },
  ];
}

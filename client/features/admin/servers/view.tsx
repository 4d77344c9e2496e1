import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, submitForm, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { Timeline } from '#client/ui/timeline.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { confirmedInput } from '#shared/schemas/server.ts';
import { staffDeleteInput, suspendInput } from '#shared/schemas/staff-server.ts';
import { Moment, Owner, RefusalBanner, SERVER_SHAPES, useAmounts, useStepText } from '../parts/servers.tsx';
import { DeleteCard, ReinstallCard, SuspendCard, UnsuspendCard } from './staff-actions.tsx';
import { useDriftText } from './drift-text.ts';

/** One server in full, for staff. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminServers.get({ params: { id: args.params.id ?? '' } });
}
export type ServerData = Awaited<ReturnType<typeof loader>>;
export interface ServerAnswer {
  readonly intent: 'suspend' | 'unsuspend' | 'reinstall' | 'delete';
  readonly result: FormResult<null>;
}

/** Suspends, lifts that, reinstalls, or deletes; distinguished by `_intent`. */
export async function action(args: ActionFunctionArgs): Promise<ServerAnswer | Response> {
  const form = await args.request.clone().formData();
  const api = apiOf(args).adminServers;
  const params = { id: args.params.id ?? '' };
  switch (form.get('_intent')) {
    case 'delete': {
      const result = await submitForm(args.request, staffDeleteInput, async (body) => {
        await api.remove({ params, body });
        return redirect(`${href('admin.servers.list')}?done=delete`);
      });
      return result instanceof Response ? result : { intent: 'delete', result: result as FormFailure };
    }
    case 'reinstall': {
      const result = await submitForm(args.request, confirmedInput, async (_body, key) => {
        await api.reinstall({ params }, key ? { key } : {});
        return null;
      });
      return result instanceof Response ? result : { intent: 'reinstall', result };
    }
    case 'unsuspend':
      try {
        await api.unsuspend({ params });
        return { intent: 'unsuspend', result: { ok: true, result: null, at: 'unsuspend' } };
      } catch (error) {
        return { intent: 'unsuspend', result: toFormFailure(error, form) };
      }
    default: {
      const result = await submitForm(args.request, suspendInput, async (body) => {
        await api.suspend({ params, body });
        return null;
      });
      return result instanceof Response ? result : { intent: 'suspend', result };
    }
  }
}

const REFRESH_MS = 10_000;
const DONE = {
  suspend: 'suspended',
  unsuspend: 'unsuspended',
  reinstall: 'reinstalled',
  delete: 'deletionStarted',
} as const;

/** The document's title begins with it. */
export const pageName = ({ server }: ServerData): string => server.name;

/** /mc-admin/servers/:id */
export default function ServerScreen(): ReactNode {
  const t = useT('staffServers');
  const data = useLoaderData<typeof loader>();
  const { server, can: may } = data;
  const answer = useActionData() as ServerAnswer | undefined;
  const { permissions } = useShell().session;
  const edits = can(permissions, 'admin.servers.edit');
  const words = useStepText();
  useRefresh(REFRESH_MS, true);
  const of = (intent: ServerAnswer['intent']) => (answer?.intent === intent ? answer.result : undefined);
  // A refusal is shown in its card, if that is still there.
  const shown = {
    suspend: edits && may.suspend,
    unsuspend: edits && may.unsuspend,
    reinstall: edits && data.reinstall !== 'impossible',
    delete: can(permissions, 'admin.servers.delete') && may.delete,
  };
  const queued = data.queue_id !== null && can(permissions, 'admin.server.queue.view') ? data.queue_id : null;
  return (
    <Page>
      <PageHead
        title={server.name}
        badge={<Status shape={SERVER_SHAPES[server.state]}>{t(`state.${server.state}`)}</Status>}
        crumbs={useCrumbs({ 'admin.servers.view': server.name })}
        actions={
          <>
            {queued !== null && (
              <LinkButton to={href('admin.serverQueue.view', { id: queued })} icon="log">
                {t('queueEntry')}
              </LinkButton>
            )}
            {may.open && (
              <LinkButton to={href('server.shared', { id: server.id })} icon="server">
                {t('openHere')}
              </LinkButton>
            )}
            {data.link !== null && (
              <LinkButton to={data.link} icon="external" target="_blank" rel="noreferrer">
                {t('openInPanel')}
              </LinkButton>
            )}
          </>
        }
      />
      {answer?.result.ok && (
        <Banner tone="positive" live>
          {t(DONE[answer.intent])}
        </Banner>
      )}
      {answer && !answer.result.ok && !shown[answer.intent] && <RefusalBanner answer={answer.result} />}
      <State data={data} />
      <div className="sp-split">
        <div className="sp-stack">
          <Card title={t('facts')}>
            <Facts items={useFacts(data)} />
          </Card>
          <Card title={t('activity')}>
            {data.activity.length === 0 ? (
              <p className="sp-lead">{t('noActivity')}</p>
            ) : (
              <Timeline label={t('activity')} items={data.activity.map((entry) => words.item(entry, 'event'))} />
            )}
          </Card>
        </div>
        <div className="sp-stack">
          {shown.unsuspend && <UnsuspendCard answer={of('unsuspend')} />}
          {shown.suspend && <SuspendCard data={data} answer={of('suspend')} />}
          {shown.reinstall && <ReinstallCard data={data} answer={of('reinstall')} />}
          <Card title={t('resources')}>
            <Facts items={useAmounts(server.resources)} />
          </Card>
        </div>
      </div>
      {shown.delete && <DeleteCard data={data} answer={of('delete')} />}
    </Page>
  );
}

/** What is unusual: why it is suspended or failed, what waits, and drift. */
function State({ data: { server, drift } }: { data: ServerData }): ReactNode {
  const t = useT('staffServers');
  const servers = useT('servers');
  const words = useStepText();
  const { differs } = useDriftText();
  return (
    <>
      {server.suspend_reason !== null && (
        <Banner tone="warning">
          {t(`reasonText.${server.suspend_reason}`)} {server.suspend_note}
        </Banner>
      )}
      {server.failure !== null && (
        <Banner tone="danger">
          {words.detail({ code: 'failed', detail: server.failure }) || servers('failure.other')}
        </Banner>
      )}
      {server.state === 'deleting' && <Banner>{t('deletingText')}</Banner>}
      {server.pending && <Banner>{t('pending')}</Banner>}
      {drift.map((each) => (
        <Banner key={`${each.kind} ${each.ref}`} tone="warning">
          {t(`driftText.${each.kind}`)} {each.kind === 'differs' && differs(each.detail)}{' '}
          <TextLink to={href('admin.servers.drift')}>{t('toDrift')}</TextLink>
        </Banner>
      ))}
    </>
  );
}

function useFacts(data: ServerData) {
  const t = useT('staffServers');
  const format = useFormat();
  const { server } = data;
  const day = (at: string) => <time dateTime={at}>{format.dateTime(at)}</time>;
  return [
    { label: t('owner'), value: <Owner owner={server.owner} /> },
    ...(data.description === '' ? [] : [{ label: t('description'), value: data.description }]),
    { label: t('address'), value: server.address ?? t('noAddress') },
    ...(data.ports.length > 1 ? [{ label: t('kind.ports'), value: data.ports.join(', ') }] : []),
    { label: t('software'), value: data.egg ?? t('notInCatalogue') },
    { label: t('location'), value: server.location.name },
    { label: t('panel'), value: server.panel?.name ?? t('builtIn') },
    ...(server.node === null ? [] : [{ label: t('node'), value: server.node }]),
    ...(data.panel_id === null ? [] : [{ label: t('panelId'), value: <code>{data.panel_id}</code> }]),
    { label: t('desiredState'), value: t(`desired.${desiredOf(data.desired)}`) },
    {
      label: t('reportedState'),
      value:
        data.panel_state === null ? (
          '–'
        ) : (
          <>
            {t(`panelState.${panelStateOf(data.panel_state)}`)}{' '}
            <span className="sp-muted">
              <Moment at={data.panel_seen_at} />
            </span>
          </>
        ),
    },
    { label: t('expires'), value: server.expires_at === null ? t('never') : day(server.expires_at) },
    { label: t('autoRenew'), value: t(data.auto_renew ? 'on' : 'off') },
    { label: t('renewals'), value: format.number(data.periods) },
    { label: t('created'), value: day(server.created_at) },
    ...(server.adopted_at === null ? [] : [{ label: t('adoptedAt'), value: day(server.adopted_at) }]),
    { label: t('id'), value: <code>{server.id}</code> },
  ];
}

const DESIRED = ['running', 'suspended', 'deleted', 'nothing'] as const;
const desiredOf = (text: string) => DESIRED.find((each) => each === text) ?? 'nothing';
const PANEL_STATES = [
  'requested',
  'missing',
  'installing',
  'install_failed',
  'reinstall_failed',
  'restoring',
  'ready',
  'suspended',
] as const;
const panelStateOf = (text: string) => PANEL_STATES.find((each) => each === text) ?? 'missing';

import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { Rich, useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Breadcrumb, Page, useCrumbs } from '#client/ui/page.tsx';
import { Timeline } from '#client/ui/timeline.tsx';
import { ApiError } from '#shared/contract/client.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { href } from '#shared/routes/href.ts';
import { wholeNumber } from '#shared/schemas/primitives.ts';
import {
  autoRenewInput,
  powerInput,
  primaryPortInput,
  serverRenewInput,
  confirmedInput,
} from '#shared/schemas/server.ts';
import { ActivityCard } from './activity-card.tsx';
import { ExpiryCard } from './expiry-card.tsx';
import { LiveCard } from './live-card.tsx';
import { PanelCard } from './panel-card.tsx';
import { BOLD, SERVER_KINDS, amountText } from './parts.tsx';
import { PortsCard } from './ports-card.tsx';
import { ReinstallRow } from './reinstall.tsx';
import type { Reinstall } from './reinstall.tsx';
import { RenewedBanner } from './renew-box.tsx';
import type { Renewed } from './renew-box.tsx';
import { toStepItem } from './server-text.ts';
import type { LogContext } from './server-text.ts';
import { isSubuserIntent, subuserAction } from './subusers-action.ts';
import type { SubuserIntent } from './subusers-action.ts';
import { SubusersCard } from './subusers-card.tsx';
import { accountAction, isAccountIntent } from './view-account.tsx';
import { ServerHead } from './view-head.tsx';
import { isWaitIntent, waitAction } from './wait-list.tsx';

const ServerFiles = lazy(async () => ({ default: (await import('./files.tsx')).ServerFiles }));
const ServerBackups = lazy(async () => ({ default: (await import('./backups.tsx')).ServerBackups }));
const ServerSchedules = lazy(async () => ({ default: (await import('./schedules.tsx')).ServerSchedules }));
const UsageCard = lazy(async () => ({ default: (await import('./usage-card.tsx')).UsageCard }));
const Console = lazy(async () => ({ default: (await import('./console.tsx')).Console }));

/** The visitor's own server; who works on somebody else's is led to the page that they have of it. */
async function getOwn(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const params = { id: args.params.id ?? '' };
  try {
    return await api.servers.get({ params });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
    await api.subusers.get({ params });
    throw redirect(href('server.shared', params));
  }
}

/** The server, what renewing it costs, and what happened to it. */
export async function loader(args: LoaderFunctionArgs) {
  const {
    server,
    renew,
    panel,
    activity,
    links,
    ports,
    wait,
    reinstall,
    carried_debt: carriedDebt,
    suspend_note: note,
    subusers,
  } = await getOwn(args);
  return { server, renew, panel, activity, links, ports, wait, reinstall, carriedDebt, note, subusers };
}
type Data = Awaited<ReturnType<typeof loader>>;

const emptyInput = z.strictObject({});
/** The price of a retry, as shown. */
const retryInput = z.strictObject({ price: z.optional(wholeNumber(0, 1_000_000_000)) });

/**
 * The page's small forms, distinguished by `_intent`: renew, automatic renewal, power, primary port, licence,
 * reinstall, cancel, retry, waiting list.
 */
export async function action(args: ActionFunctionArgs) {
  const api = apiOf(args).servers;
  const params = { id: args.params.id ?? '' };
  const intent = (await args.request.clone().formData()).get('_intent');
  if (isWaitIntent(intent)) return waitAction(args, intent);
  if (isAccountIntent(intent)) return accountAction(args, intent);
  if (isSubuserIntent(intent)) return subuserAction(args, intent);
  switch (intent) {
    case 'renew':
      return submitForm(args.request, serverRenewInput, async (body, key): Promise<Answer> => {
        return { intent, ...(await api.renew({ params, body }, key ? { key } : {})) };
      });
    case 'autoRenew':
      return submitForm(args.request, autoRenewInput, async (body): Promise<Answer> => {
        await api.autoRenew({ params, body });
        return { intent };
      });
    case 'power':
      return submitForm(args.request, powerInput, async (body): Promise<Answer> => {
        await api.power({ params, body });
        return { intent };
      });
    case 'primaryPort':
      return submitForm(args.request, primaryPortInput, async (body): Promise<Answer> => {
        await api.setPrimaryPort({ params, body });
        return { intent };
      });
    case 'licence':
      return submitForm(args.request, emptyInput, async (): Promise<Answer> => {
        await apiOf(args).serverLicences.accept({ params });
        return { intent };
      });
    case 'reinstall':
      return submitForm(args.request, confirmedInput, async (_body, key): Promise<Answer> => {
        await api.reinstall({ params }, key ? { key } : {});
        return { intent };
      });
    case 'cancel':
      return submitForm(args.request, emptyInput, async () => {
        await api.cancel({ params });
        return redirect(href('dashboard'));
      });
    case 'retry':
      return submitForm(args.request, retryInput, async ({ price }, key): Promise<Answer> => {
        await api.retry({ params, query: price === undefined ? {} : { price: String(price) } }, key ? { key } : {});
        return { intent };
      });
    default:
      throw new ApiError('BAD_REQUEST', 400);
  }
}
type Answer =
  | Renewed
  | {
      readonly intent:
        | 'autoRenew'
        | 'retry'
        | 'power'
        | 'primaryPort'
        | 'licence'
        | 'reinstall'
        | 'wait'
        | 'leaveWaitingList'
        | 'accountCode'
        | 'accountProof'
        | SubuserIntent;
    };

/** The document's title begins with it. */
export const pageName = ({ server }: Data): string => server.name;

/** /server/:id */
export default function ServerScreen(): ReactNode {
  const t = useT('servers');
  const loose = useLooseT('servers');
  const format = useFormat();
  const { server, renew, panel, activity, links, ports, wait, reinstall, carriedDebt, note, subusers } =
    useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<Answer>>();
  const { session } = useShell();
  const nowMs = useNow();
  useLive(['servers', 'balance']);
  const words: LogContext = { t, loose, format, nowMs };
  // A refused renewal is shown beside its button.
  const renewing = answer?.ok === false && 'price' in answer.values;
  // So is one about sub-users.
  const sharing = answer?.ok === false && ('username' in answer.values || 'user_id' in answer.values);
  // And one about a port.
  const choosing = answer?.ok === false && 'port' in answer.values;
  const isBuiltIn = panel === 'node' || panel === 'embedded';
  const there = server.state === 'active' || server.state === 'suspended';
  return (
    <Page>
      <div className="sp-on-canvas">
        <Breadcrumb items={useCrumbs({ 'server.view': server.name })} />
      </div>
      {answer?.ok && answer.result.intent === 'renew' && <RenewedBanner answer={answer.result} />}
      {answer?.ok && answer.result.intent === 'retry' && server.state === 'queued' && (
        <Banner tone="positive" live>
          <Rich t={t} k="retried" tags={BOLD} />
        </Banner>
      )}
      <ServerHead
        server={server}
        renewal={renew}
        nowMs={nowMs}
        answer={renewing || sharing || choosing ? undefined : answer}
        links={links}
        wait={wait}
        reinstall={reinstall}
        carriedDebt={carriedDebt}
        note={note}
      />
      {panel === 'embedded' && (
        <Banner>
          <Rich t={t} k="embedded" tags={BOLD} />
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          {server.state === 'active' && panel !== 'embedded' && <LiveCard server={server} />}
          {server.state === 'active' && panel === 'node' && session.viewing === undefined && (
            <Suspense fallback={null}>
              <Console server={server} />
              <ServerFiles server={server} />
              <ServerBackups server={server} />
              <ServerSchedules server={server} />
            </Suspense>
          )}
          {there && panel === 'node' && (
            <Suspense fallback={null}>
              <UsageCard server={server} />
            </Suspense>
          )}
          <QueueLog server={server} words={words} />
          <ActivityCard activity={activity} />
        </div>
        <div className="sp-stack">
          {there && <ExpiryCard server={server} renewal={renew} nowMs={nowMs} answer={renewing ? answer : undefined} />}
          <ResourcesCard server={server} />
          <PortsCard
            ports={ports}
            bought={server.resources.ports}
            mayChoose={server.state === 'active' && isBuiltIn && session.viewing === undefined}
            answer={choosing || answer?.ok ? answer : undefined}
          />
          {subusers !== null && there && session.viewing === undefined && (
            <SubusersCard subusers={subusers} answer={sharing ? answer : undefined} />
          )}
          {links !== null && <PanelCard links={links} />}
        </div>
      </div>
      {server.can.delete && there && <DangerCard server={server} reinstall={reinstall} />}
    </Page>
  );
}

/** The queue's log: open during the build and after a failure, collapsed once the server exists. */
function QueueLog({ server, words }: { server: Data['server']; words: LogContext }): ReactNode {
  const { t } = words;
  const live = useT('live');
  const steps = server.queue?.steps ?? [];
  if (steps.length === 0) return null;
  return (
    <details className="sp-card sp-log" open>
      <summary>
        <Icon name="chevron-right" size="sm" />
        {live('stateLog')}
      </summary>
      <Timeline label={t('log')} items={steps.map((step, index) => toStepItem(step, index, words)).toReversed()} />
    </details>
  );
}

function ResourcesCard({ server }: { server: ServerView }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const amounts = SERVER_KINDS.map((kind) => ({
    label: t(`kind.${kind}`),
    value: amountText(kind, server.resources[kind], format),
  }));
  const items = [
    ...amounts,
    { label: t('created'), value: format.date(server.created_at) },
    { label: t('id'), value: <code title={server.id}>{server.id.slice(0, 13)}</code> },
  ];
  return (
    <Card
      title={t('resources')}
      aside={
        server.can.update && (
          <LinkButton to={href('server.update', { id: server.id })} variant="ghost" size="sm">
            {t('update')}
          </LinkButton>
        )
      }
    >
      <Facts items={items} />
    </Card>
  );
}

function DangerCard({ server, reinstall }: { server: ServerView; reinstall: Reinstall }): ReactNode {
  const t = useT('servers');
  const button = (
    <LinkButton to={href('server.delete', { id: server.id })} variant="danger-quiet" icon="trash">
      {t('deleteServer')}
    </LinkButton>
  );
  return (
    <Card title={t('danger')} tone="danger" flush>
      <List>
        <ReinstallRow name={server.name} state={reinstall} />
        <ListItem icon="trash" title={t('deleteRow')} text={t('deleteRowText')} end={button} />
      </List>
    </Card>
  );
}

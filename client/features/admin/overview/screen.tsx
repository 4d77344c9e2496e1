import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { Timeline } from '#client/ui/timeline.tsx';
import { SNOOZE_HOURS } from '#shared/attention.ts';
import { can } from '#shared/can.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { Permission } from '#shared/permissions.ts';
import { ROUTES, type RouteId } from '#shared/routes/table.ts';
import { SetupCard } from '../parts/setup-card.tsx';
import { OVERVIEW_DAYS, PART_NAMES, partFacts, type OverviewPart } from '#shared/overview.ts';
import { AttentionCard } from './attention-card.tsx';
import { EconomyPart } from './economy-part.tsx';
import { KeyFigures } from './key-figures.tsx';
import { LayoutForm } from './layout-form.tsx';
import { LedgerFaults } from './ledger-faults.tsx';
import { LogsPart } from './logs-part.tsx';
import { PartBody } from './part-body.tsx';
import { QueuePart } from './queue-part.tsx';
import { SupportPart } from './support-part.tsx';
import { RepositoryPart } from './repository-part.tsx';
import { SystemPart } from './system-part.tsx';
import { UpdatesPart } from './updates-part.tsx';

/** How often the page is read anew while it is visible; what needs somebody comes at once by itself. */
const REFRESH_MS = 30_000;
/** Days that the economy's part shows. */
const ECONOMY_DAYS = '14';
/** Entries of the queue that its part shows. */
const QUEUE_ROWS = '5';

const mayHave = (permissions: readonly string[], part: OverviewPart): boolean =>
  partFacts(part).permissions.every((permission) => can(permissions, permission));

/** What a deferred part shows; null where it cannot be loaded. */
const orNull = <T,>(value: Promise<T>): Promise<T | null> => value.catch(() => null);

/** What needs the visitor, and the figures; what the other parts show is deferred, and asked for where they are shown. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const wanted = new URL(args.request.url).searchParams.get('days');
  const days = OVERVIEW_DAYS.find((each) => each === wanted) ?? '1';
  const [attention, overview, { permissions }] = await Promise.all([
    api.adminAttention.list(),
    api.adminOverview.get({ query: { days } }),
    api.session.get(),
  ]);
  const chosen = overview.layout ?? PART_NAMES;
  const load = <T,>(part: OverviewPart, ask: () => Promise<T>) =>
    chosen.includes(part) && mayHave(permissions, part) ? orNull(ask()) : null;
  return {
    days,
    attention,
    overview,
    activity: load('activity', () => api.adminOverview.activity()),
    economy: load('economy', () => api.adminEconomy.get({ query: { days: ECONOMY_DAYS } })),
    queue: load('queue', () => api.adminServerQueue.list({ query: { state: 'queued', per_page: QUEUE_ROWS } })),
    support: load('support', () => api.adminTickets.summary()),
    system: load('system', () => api.adminHealth.get()),
    logs: load('logs', () => api.adminLogs.list({ query: { level: 'warn' } })),
    updates: load('updates', () => api.adminUpdates.get()),
    repository: load('repository', () => api.adminUpdates.repository()),
  };
}
export type OverviewData = Awaited<ReturnType<typeof loader>>;
type Overview = OverviewData['overview'];

/** Puts something off that needs the visitor, or has it back; chooses the parts of the page; or asks for new releases. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<null>> {
  const form = await args.request.formData();
  const { adminAttention: api, adminOverview, adminUpdates } = apiOf(args);
  if (form.get('_intent') === 'layout') return setLayout(adminOverview, form);
  if (form.get('_intent') === 'updates') return checkUpdates(adminUpdates, form);
  const item = String(form.get('item') ?? '');
  const hours = SNOOZE_HOURS.find((each) => String(each) === form.get('hours'));
  try {
    if (hours === undefined) await api.unsnooze({ body: { item } });
    else await api.snooze({ body: { item, hours } });
    return { ok: true, result: null, at: `${item} ${String(hours)}` };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

async function checkUpdates(api: Pick<Api['adminUpdates'], 'check'>, form: FormData): Promise<FormResult<null>> {
  try {
    await api.check();
    return { ok: true, result: null, at: 'updates' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

async function setLayout(api: Pick<Api['adminOverview'], 'setLayout'>, form: FormData): Promise<FormResult<null>> {
  const chosen = form.getAll('part').flatMap((name) => PART_NAMES.find((part) => part === name) ?? []);
  try {
    await api.setLayout({ body: { parts: form.get('reset') === null ? chosen : null } });
    return { ok: true, result: null, at: chosen.join(' ') };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin */
export default function OverviewScreen(): ReactNode {
  const data = useLoaderData<typeof loader>();
  const { attention, overview, days } = data;
  const t = useT('admin');
  const texts = useT('overview');
  useRefresh(REFRESH_MS, true);
  const format = useFormat();
  const { now, session } = useShell();
  const allowed = PART_NAMES.filter((part) => mayHave(session.permissions, part));
  const shown = (overview.layout ?? PART_NAMES).filter((part) => allowed.includes(part));
  const at = (place: 'wide' | 'main' | 'side') =>
    shown.filter((part) => partFacts(part).place === place).map((part) => <Part key={part} part={part} data={data} />);
  const [main, side] = [at('main'), at('side')];
  return (
    <Page>
      <PageHead
        title={t('overview')}
        text={texts('live', { time: format.dateTime(now) })}
        actions={allowed.includes('glance') && <Period days={days} />}
      />
      <AttentionCard loaded={attention} />
      {overview.ledger !== null && <LedgerFaults ledger={overview.ledger} />}
      {overview.guide === null ? <Setup steps={overview.setup} /> : <SetupCard guide={overview.guide} />}
      {at('wide')}
      {main.length > 0 && side.length > 0 ? (
        <div className="sp-split">
          <div className="sp-stack">{main}</div>
          <div className="sp-stack">{side}</div>
        </div>
      ) : (
        [...main, ...side]
      )}
      {allowed.length > 0 && <LayoutForm key={shown.join(' ')} allowed={allowed} shown={shown} />}
    </Page>
  );
}

/** The days that the key figures are about. */
function Period({ days }: { days: OverviewData['days'] }): ReactNode {
  const t = useT('overview');
  const path = href('admin.dashboard');
  return (
    <SegmentedLinks
      label={t('period.label')}
      items={OVERVIEW_DAYS.map((each) => ({
        to: each === '1' ? path : `${path}?days=${each}`,
        label: t(`period.${each}`),
        current: each === days,
      }))}
    />
  );
}

/** One part of the page. */
function Part({ part, data }: { part: OverviewPart; data: OverviewData }): ReactNode {
  switch (part) {
    case 'glance':
      return <KeyFigures data={data.overview} />;
    case 'economy':
      return data.economy && <EconomyPart value={data.economy} />;
    case 'activity':
      return data.activity && <Activity value={data.activity} />;
    case 'queue':
      return data.queue && <QueuePart value={data.queue} />;
    case 'support':
      return data.support && <SupportPart value={data.support} />;
    case 'system':
      return data.system && <SystemPart value={data.system} />;
    case 'logs':
      return data.logs && <LogsPart value={data.logs} />;
    case 'updates':
      return data.updates && <UpdatesPart value={data.updates} />;
    case 'repository':
      return data.repository && <RepositoryPart value={data.repository} />;
    case 'quick':
      return <QuickActions />;
  }
}

const STEPS = {
  location: 'admin.locations.create',
  category: 'admin.eggCategories.create',
  egg: 'admin.eggs.create',
} as const;

/** What is still missing before players can create servers; nothing if it is complete. */
function Setup({ steps }: { steps: Overview['setup'] }): ReactNode {
  const t = useT('admin');
  const { permissions } = useShell().session;
  if (steps.every((step) => step.done)) return null;
  return (
    <Card title={t('setupTitle')} text={t('setupText')} flush>
      <List label={t('setupTitle')}>
        {steps.map(({ code, done }) => {
          const step = code as keyof typeof STEPS;
          const route = STEPS[step];
          const open = !done && can(permissions, ROUTES[route].guard);
          return (
            <ListItem
              key={step}
              icon={done ? 'circle-check' : 'plus'}
              tone={done ? 'positive' : 'accent'}
              title={t(`setup.${step}`)}
              text={t(`setup.${step}Text`)}
              {...(done ? { end: t('setupDone') } : {})}
              {...(open ? { to: href(route) } : {})}
            />
          );
        })}
      </List>
    </Card>
  );
}

function Activity({ value }: { value: NonNullable<OverviewData['activity']> }): ReactNode {
  const t = useT('admin');
  return (
    <Card
      title={t('activityTitle')}
      text={t('activityText')}
      aside={
        <LinkButton to={href('admin.audit')} size="sm" variant="ghost" iconEnd="arrow-right">
          {t('openAudit')}
        </LinkButton>
      }
    >
      <PartBody value={value} rows={6}>
        {({ entries }) => <Entries entries={entries} />}
      </PartBody>
    </Card>
  );
}

type Entry = NonNullable<Awaited<OverviewData['activity']>>['entries'][number];

function Entries({ entries }: { entries: readonly Entry[] }): ReactNode {
  const t = useT('admin');
  const loose = useLooseT('admin');
  const format = useFormat();
  const nowMs = Date.parse(useShell().now);
  if (entries.length === 0) return <EmptyState art="log" title={t('noActivity')} text={t('noActivityText')} />;
  return (
    <Timeline
      label={t('activityTitle')}
      items={entries.map(({ id, at, actor, action, target }) => ({
        id,
        title: loose([`activity.${action.replaceAll('.', '_')}`, 'activity.other'], {
          actor: actor ?? t('system'),
          target: target ?? '',
          action,
        }),
        time: <time dateTime={at}>{format.when(at, nowMs)}</time>,
      }))}
    />
  );
}

/** What is done most days, where; `permission`: what the command itself needs beside its page. */
const QUICK = [
  { key: 'quick.credits', route: 'admin.users.list', icon: 'wallet', permission: 'admin.users.edit' },
  { key: 'quick.announcement', route: 'admin.announcements.create', icon: 'megaphone' },
  { key: 'quick.backup', route: 'admin.backups', icon: 'archive', permission: 'admin.backups.create' },
  { key: 'quick.sync', route: 'admin.panels.list', icon: 'refresh', permission: 'admin.panels.edit' },
  { key: 'quick.code', route: 'admin.redeemCodes.create', icon: 'ticket' },
  { key: 'quick.egg', route: 'admin.eggs.create', icon: 'egg' },
  { key: 'quick.location', route: 'admin.locations.create', icon: 'pin' },
] as const satisfies readonly { key: string; route: RouteId; icon: IconName; permission?: Permission }[];

/** Links to the most used commands that the visitor may use. */
function QuickActions(): ReactNode {
  const t = useT('admin');
  const { permissions } = useShell().session;
  const allowed = QUICK.filter(
    (quick) =>
      can(permissions, ROUTES[quick.route].guard) && (!('permission' in quick) || can(permissions, quick.permission)),
  );
  if (allowed.length === 0) return null;
  return (
    <Card title={t('quickActions')}>
      <div className="sp-stack" data-gap="2">
        {allowed.map(({ key, route, icon }) => (
          <LinkButton key={route} to={href(route)} icon={icon} block>
            {t(key)}
          </LinkButton>
        ))}
      </div>
    </Card>
  );
}

import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { Deferred } from '#client/lib/deferred.tsx';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState, ErrorState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { SkeletonRows } from '#client/ui/skeleton.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { Timeline } from '#client/ui/timeline.tsx';
import { SNOOZE_HOURS } from '#shared/attention.ts';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/href.ts';
import { ROUTES } from '#shared/routes/table.ts';
import { SetupCard } from '../parts/setup-card.tsx';
import { AttentionCard } from './attention-card.tsx';
import { LedgerFaults } from './ledger-faults.tsx';

/** What needs the visitor, and the figures; recent changes are deferred (null if they cannot be loaded). */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const { get, activity } = api.adminOverview;
  const [attention, overview] = await Promise.all([api.adminAttention.list(), get()]);
  return {
    attention,
    overview,
    activity: activity().then(
      ({ entries }) => entries,
      () => null,
    ),
  };
}
type Loaded = Awaited<ReturnType<typeof loader>>;
type Overview = Loaded['overview'];

/** Puts something off that needs the visitor, or has it back. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<null>> {
  const form = await args.request.formData();
  const api = apiOf(args).adminAttention;
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

/** /mc-admin */
export default function OverviewScreen(): ReactNode {
  const { attention, overview, activity } = useLoaderData<typeof loader>();
  const t = useT('admin');
  const format = useFormat();
  const { now, session } = useShell();
  const seesActivity = can(session.permissions, 'admin.dashboard.components.activity.view');
  return (
    <Page>
      <PageHead title={t('overview')} text={format.dateTime(now)} />
      <AttentionCard loaded={attention} />
      {overview.ledger !== null && <LedgerFaults ledger={overview.ledger} />}
      {overview.guide === null ? <Setup steps={overview.setup} /> : <SetupCard guide={overview.guide} />}
      <KeyFigures data={overview} />
      <div className="sp-split">
        {seesActivity ? <Activity value={activity} /> : <span />}
        <QuickActions />
      </div>
    </Page>
  );
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

function KeyFigures({ data }: { data: Overview }): ReactNode {
  const t = useT('admin');
  const format = useFormat();
  const { servers, servers_suspended, users, users_today, queue, circulation, minted_today, burnt_today } = data;
  if (
    servers === null ||
    users === null ||
    queue === null ||
    circulation === null ||
    minted_today === null ||
    burnt_today === null
  )
    return null;
  return (
    <section className="sp-card sp-glance" aria-label={t('glance')}>
      <Stats>
        <StatTile
          label={t('servers')}
          value={format.number(servers)}
          note={t('suspended', { count: servers_suspended ?? 0 })}
        />
        <StatTile label={t('users')} value={format.number(users)} note={t('usersToday', { count: users_today ?? 0 })} />
        <StatTile label={t('queue')} value={format.number(queue)} note={t('queueNote')} />
        <StatTile label={t('circulation')} value={<CreditAmount value={circulation} />} note={t('circulationNote')} />
        <StatTile label={t('minted')} value={<CreditAmount value={minted_today} />} note={t('mintedNote')} />
        <StatTile label={t('burnt')} value={<CreditAmount value={burnt_today} />} note={t('burntNote')} />
      </Stats>
    </section>
  );
}

function Activity({ value }: { value: Loaded['activity'] }): ReactNode {
  const t = useT('admin');
  const ui = useT('ui');
  return (
    <Card title={t('activityTitle')} text={t('activityText')}>
      <Deferred value={value} fallback={<SkeletonRows rows={6} label={ui('loading')} />} failed={<ErrorState />}>
        {(entries) => (entries === null ? <ErrorState /> : <Entries entries={entries} />)}
      </Deferred>
    </Card>
  );
}

function Entries({ entries }: { entries: NonNullable<Awaited<Loaded['activity']>> }): ReactNode {
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

const QUICK = [
  { key: 'quick.code', route: 'admin.redeemCodes.create', icon: 'ticket' },
  { key: 'quick.egg', route: 'admin.eggs.create', icon: 'egg' },
  { key: 'quick.location', route: 'admin.locations.create', icon: 'pin' },
] as const;

/** Links to the most used commands that the visitor may use. */
function QuickActions(): ReactNode {
  const t = useT('admin');
  const { permissions } = useShell().session;
  const allowed = QUICK.filter(({ route }) => can(permissions, ROUTES[route].guard));
  if (allowed.length === 0 || !can(permissions, 'admin.dashboard.components.quickactions.view')) return null;
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

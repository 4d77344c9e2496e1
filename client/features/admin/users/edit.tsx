import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { STATEMENT_LIST, statementFilters, statementQuery } from '#client/resource/statement-query.ts';
import { StatementCsv, StatementList } from '#client/resource/statement.tsx';
import { Avatar } from '#client/ui/avatar.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NameBadge } from '#client/ui/name-badge.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { can } from '#shared/can.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { STAFF_WIRE } from '#shared/contract/wire-staff.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import type { Permission } from '#shared/permissions.ts';
import { adjustmentInput } from '#shared/schemas/adjustment.ts';
import { href } from '#shared/routes/staff-href.ts';
import { id as uuid } from '#shared/schemas/primitives.ts';
import { AccessTab } from './access-tab.tsx';
import { ActivityTab } from './activity-tab.tsx';
import { AdjustCard } from './adjust-card.tsx';
import { UserFigures } from './figures.tsx';
import { NotesTab } from './notes-tab.tsx';
import { IdentityCard, LimitsCard, STATE_SHAPES } from './parts.tsx';
import { PaymentsTab } from './payments-tab.tsx';
import { ProfileTab } from './profile-tab.tsx';
import { PurchasesCard } from './purchases-card.tsx';
import { ServersTab } from './servers-tab.tsx';
import { SignalsTab } from './signals-tab.tsx';
import { staffAction } from './staff-action.ts';
import { ViewAsButton } from '../parts/view-as-button.tsx';
import { ViewAsRefused } from './view-as.tsx';
import type { StaffAnswer } from './staff-answer.ts';
import { TicketsTab } from './tickets-tab.tsx';
import { WaysTab } from './ways-tab.tsx';

/** The tabs of the page; the address says which one is open (`?tab=`). */
const TABS = [
  'overview',
  'profile',
  'access',
  'ways',
  'servers',
  'payments',
  'tickets',
  'signals',
  'activity',
  'notes',
] as const;
type TabName = (typeof TABS)[number];
/** What a tab asks for beside the right to edit users: what it shows has a list of its own. */
const TAB_RIGHTS: Readonly<Partial<Record<TabName, Permission>>> = {
  servers: 'admin.servers.list',
  payments: 'admin.payments.list',
  tickets: 'admin.tickets.list',
};
/** Rows that tabs of servers and payments show; more are in their lists. */
const TAB_ROWS = '50';

/** The user, and the data of the open tab. */
export async function loader(args: LoaderFunctionArgs) {
  const { adminUsers } = apiOf(args);
  const { searchParams } = new URL(args.request.url);
  const tab: TabName = TABS.find((each) => each === searchParams.get('tab')) ?? 'overview';
  const [user, data] = await Promise.all([
    adminUsers.get({ params: { id: args.params.id ?? '' } }),
    readTab(args, tab),
  ]);
  return { tab, user, ...data };
}

/** The data of a tab: what the others show is null. */
async function readTab(args: LoaderFunctionArgs, tab: TabName) {
  const {
    adminUsers,
    adminAccounts,
    adminUserDetails: details,
    adminServers,
    adminPayments,
    adminTickets,
  } = apiOf(args);
  const id = args.params.id ?? '';
  const params = { id };
  const { search, searchParams } = new URL(args.request.url);
  const before = searchParams.get('before');
  const other = searchParams.get('with');
  const query = before !== null && PAST_CURSOR.test(before) ? { before } : {};
  return {
    isFirst: before === null,
    statement: tab === 'overview' ? await adminUsers.statement({ params, query: statementQuery(search) }) : null,
    sessions: tab === 'access' ? (await adminAccounts.sessions({ params })).sessions : null,
    signals: tab === 'signals' || tab === 'access' ? await details.signals({ params }) : null,
    comparison:
      tab === 'signals' && uuid.safeParse(other).success
        ? await details.compare({ params: { id, other: other ?? '' } })
        : null,
    ways: tab === 'ways' ? await details.ways({ params }) : null,
    servers: tab === 'servers' ? await adminServers.list({ query: { owner: id, per_page: TAB_ROWS } }) : null,
    payments: tab === 'payments' ? await adminPayments.list({ query: { user: id, per_page: TAB_ROWS } }) : null,
    tickets: tab === 'tickets' ? await adminTickets.list({ query: { user: id, view: 'all' } }) : null,
    activity: tab === 'activity' ? await details.activity({ params, query }) : null,
    notes: tab === 'notes' ? (await adminAccounts.notes({ params })).notes : null,
  };
}
export type TabData = Awaited<ReturnType<typeof loader>>;
export type UserData = TabData['user'];

/** The outcome of the forms of the overview; a refused refund has the purchase among its values. */
export type UserAnswer = FormResult<{ readonly balance: number } | { readonly refunded: string }>;

/** An adjustment, the refund of a purchase, or a form of another tab, distinguished by `_intent`. */
export async function action(args: ActionFunctionArgs): Promise<UserAnswer | StaffAnswer | Response> {
  const api = apiOf(args);
  const id = args.params.id ?? '';
  const form = await args.request.clone().formData();
  const answer = await staffAction(api, args.request, id, form.get('_intent'));
  if (answer) return answer;
  if (form.get('_intent') !== 'refund') {
    return submitForm(args.request, adjustmentInput, (body, key) =>
      api.adminUsers.adjust({ params: { id }, body }, key ? { key } : {}),
    );
  }
  return submitForm(args.request, refundInput, async ({ purchase }, key) => {
    await api.adminUsers.refund({ params: { id, purchase } }, key ? { key } : {});
    return { refunded: purchase };
  });
}
const refundInput = z.strictObject({ purchase: uuid });

/** The document's title begins with it. */
export const pageName = ({ user }: Awaited<ReturnType<typeof loader>>): string => user.username;

/** /mc-admin/users/:id/edit */
export default function UserScreen(): ReactNode {
  const t = useT('users');
  const staff = useT('staffUsers');
  const data = useLoaderData<typeof loader>();
  const { tab, user, statement } = data;
  const answer = useActionData() as UserAnswer | StaffAnswer | undefined;
  const staffAnswer = answer && 'intent' in answer ? answer : undefined;
  const { permissions } = useShell().session;
  const address = href('admin.users.edit', { id: user.id });
  return (
    <Page>
      <PageHead
        title={user.username}
        picture={<Avatar name={user.username} size="lg" />}
        crumbs={useCrumbs({ 'admin.users.edit': user.username })}
        badge={
          <>
            <NameBadge badge={{ kind: 'role', role: user.role }} />
            {user.status !== 'active' && <Status shape={STATE_SHAPES[user.status]}>{t(`state.${user.status}`)}</Status>}
          </>
        }
        actions={
          <>
            <ViewAsButton user={user} />
            {can(permissions, 'admin.users.delete') && user.status !== 'deleted' && (
              <LinkButton icon="trash" to={href('admin.users.delete', { id: user.id })}>
                {staff('delete')}
              </LinkButton>
            )}
          </>
        }
      />
      <ViewAsRefused answer={staffAnswer} />
      <UserFigures user={user} />
      <Tabs
        label={staff('sections')}
        onCanvas
        items={TABS.filter((name) => canOpen(name, user, permissions)).map((name) => ({
          to: name === 'overview' ? address : `${address}?tab=${name}`,
          label: staff(`tab.${name}`),
          current: name === tab,
        }))}
      />
      <OpenTab data={data} answer={staffAnswer} />
      {statement && (
        <Overview user={user} statement={statement} answer={answer && 'intent' in answer ? undefined : answer} />
      )}
    </Page>
  );
}

/** Whether a tab is offered: not what its reader may not list, and no forms for a deleted account. */
function canOpen(name: TabName, user: UserData, permissions: readonly string[]): boolean {
  const right = TAB_RIGHTS[name];
  if (name === 'profile') return user.status !== 'deleted';
  return right === undefined || can(permissions, right);
}

/** The open tab beside the overview. */
function OpenTab({ data, answer }: { data: TabData; answer: StaffAnswer | undefined }): ReactNode {
  const { tab, user, sessions, signals, ways, servers, payments, tickets, activity, notes } = data;
  if (sessions) return <AccessTab user={user} sessions={sessions} held={signals?.held.credits ?? 0} answer={answer} />;
  if (tab === 'profile') return user.status === 'deleted' ? null : <ProfileTab user={user} answer={answer} />;
  if (ways) return <WaysTab user={user} ways={ways} answer={answer} />;
  if (servers) return <ServersTab user={user} servers={servers} />;
  if (payments) return <PaymentsTab user={user} payments={payments} />;
  if (tickets) return <TicketsTab user={user} tickets={tickets} />;
  if (tab === 'signals' && signals) return <SignalsTab user={user} signals={signals} comparison={data.comparison} />;
  if (activity) return <ActivityTab user={user} activity={activity} isFirst={data.isFirst} />;
  return notes && <NotesTab user={user} notes={notes} answer={answer} />;
}

interface OverviewProps {
  user: UserData;
  statement: NonNullable<TabData['statement']>;
  answer: UserAnswer | undefined;
}

/** The user's credits, purchases, identity and limits. */
function Overview({ user, statement, answer }: OverviewProps): ReactNode {
  const refused = answer && !answer.ok ? answer : null;
  const { session } = useShell();
  // Only admin.root may adjust their own wallet.
  const mayAdjust =
    user.status !== 'deleted' && (user.id !== session.user?.id || can(session.permissions, 'admin.root'));
  return (
    <>
      <DoneBanner answer={answer} />
      <div className="sp-split">
        <div className="sp-stack">
          <Ledger user={user} statement={statement} />
          <PurchasesCard user={user} refused={refused && 'purchase' in refused.values ? refused.code : undefined} />
        </div>
        <div className="sp-stack">
          {mayAdjust && (
            <AdjustCard user={user} answer={refused && 'purchase' in refused.values ? undefined : answer} />
          )}
          <IdentityCard user={user} />
          <LimitsCard limits={user.limits} />
        </div>
      </div>
    </>
  );
}

function DoneBanner({ answer }: { answer: UserAnswer | undefined }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  if (!answer?.ok) return null;
  return (
    <Banner tone="positive" live>
      {'balance' in answer.result ? t('adjusted', { credits: format.credits(answer.result.balance) }) : t('refunded')}
    </Banner>
  );
}

/** The user's statement, with who acted and the references, which users do not see. */
function Ledger({ user, statement }: Omit<OverviewProps, 'answer'>): ReactNode {
  const account = useT('account');
  const { state, hrefOf } = useListState(STATEMENT_LIST);
  const csv = endpointUrl(STAFF_WIRE.adminUsers.statementCsv, {
    params: { id: user.id },
    query: { ...statementFilters(state) },
  });
  return (
    <Card title={account('statement')} flush aside={<StatementCsv to={csv} />}>
      <StatementList
        statement={statement}
        state={state}
        hrefOf={hrefOf}
        empty={<EmptyState art="receipt" title={account('noMovements')} text={account('noMovementsText')} />}
      />
    </Card>
  );
}

import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { readList } from '#client/lib/url-state.ts';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { PluginPanels } from '#client/ui/plugin-part.tsx';
import { href } from '#shared/routes/href.ts';
import { BalanceCard } from './balance-card.tsx';
import { greetingKey } from './greeting.ts';
import { LedgerCard } from './ledger-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { NextCard } from './next-card.tsx';
import { SERVER_LIST, SERVERS_SHOWN } from './server-list.ts';
import { ServersCard } from './servers-card.tsx';
import { SharedCard } from './shared-card.tsx';
import { SupportersCard } from './supporters-card.tsx';

/** Everything the dashboard shows, in one answer. */
export async function loader(args: LoaderFunctionArgs) {
  const { page } = readList(new URL(args.request.url).search, SERVER_LIST);
  return apiOf(args).dashboard.get({ query: { page: String(page), per_page: String(SERVERS_SHOWN) } });
}
export type DashboardData = Awaited<ReturnType<typeof loader>>;

/** Renews everything that is due, at the price that was shown. */
export const action = lazyAction(() => import('./pay-action.ts'));
type Paid = FormResult<{ renewed: number; skipped: number }> | undefined;

/** /dashboard */
export default function DashboardScreen(): ReactNode {
  const data = useLoaderData<typeof loader>();
  const { viewing } = useShell().session;
  useLive(['servers', 'balance']);
  return (
    <Page>
      <Head data={data} />
      <Notices />
      <div className="sp-dash__top">
        <BalanceCard data={data} />
        <LimitsCard meters={data.meters} />
      </div>
      <div className="sp-dash__cols">
        <div className="sp-dash__main">
          <ServersCard data={data} />
          <SharedCard shared={data.shared} />
          {viewing === undefined && <LedgerCard data={data} />}
        </div>
        <div className="sp-dash__side">
          <NextCard data={data} />
          <SupportersCard places={data.early_supporters} />
          <PluginPanels slot="dashboard.side" />
        </div>
      </div>
    </Page>
  );
}

function Head({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  const format = useFormat();
  const { session, flags } = useShell();
  const name = session.user?.first_name || (session.user?.username ?? '');
  return (
    <PageHead
      title={t(greetingKey(data.now, format.timeZone), { name })}
      text={<Summary data={data} />}
      actions={
        flags.allow_servers && (
          <LinkButton to={href('server.create')} variant="primary" icon="plus">
            {t('createServer')}
          </LinkButton>
        )
      }
    />
  );
}

/** One line about the servers. */
function Summary({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  const format = useFormat();
  const { flags, settings } = useShell();
  if (data.paging.total === 0) {
    if (!flags.server_renew_enabled) return t('firstServer');
    return t('firstServerCost', { cost: format.credits(data.renew_cost), count: Number(settings.server_renew_days) });
  }
  const { used, limit } = data.meters.slots;
  const needy = data.needing_credits;
  const slots = t('slotsInUse', { used: format.number(used), limit: format.number(limit) });
  return needy > 0 && flags.server_renew_enabled ? `${slots} ${t('needCredits', { count: needy })}` : slots;
}

/** The outcome of the last payment. */
function Notices(): ReactNode {
  const t = useT('dashboard');
  const paid = useActionAnswer<Paid>();
  const { problem } = useFormProps(paid);
  return (
    <>
      {paid?.ok && (
        <Banner tone="positive" live>
          {t('paid', { count: paid.result.renewed })}
          {paid.result.skipped > 0 && ` ${t('paidSkipped', { count: paid.result.skipped })}`}
        </Banner>
      )}
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
    </>
  );
}

import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { href } from '#shared/routes/href.ts';
import { AfkClock } from './afk-clock.tsx';
import { BudgetCard, ExitRulesCard, WeekCard } from './afk-more.tsx';
import { AfkBanners } from './afk-status.tsx';
import { useAfk } from './use-afk.ts';

/** What runs, what was earned, cap and budget. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).afk.state();
}

const TO_HELD = { link: (words: ReactNode) => <TextLink to={`${href('account')}?tab=held`}>{words}</TextLink> };

/** /earn/afk: credits for time with this page open (behaviour 4.1). */
export default function AfkScreen(): ReactNode {
  const t = useT('earn');
  const format = useFormat();
  const state = useLoaderData<typeof loader>();
  const { session } = useShell();
  const { shown, client } = useAfk(state);
  useLive(['balance']);
  const unverified = session.user?.verified === false;
  const words = { count: state.per_minute, cap: format.number(state.cap) };
  return (
    <Page>
      <PageHead title={t('afkTitle')} text={t(state.cap > 0 ? 'afkText' : 'afkTextOpen', words)} />
      <noscript>
        <Banner tone="warning">{t('needsScript')}</Banner>
      </noscript>
      <AfkBanners shown={shown} unverified={unverified} onDismiss={client.dismiss} />
      {state.held > 0 && (
        <Banner>
          <Rich t={t} k="afkHeld" tags={TO_HELD} vars={{ amount: <CreditAmount value={state.held} /> }} />
        </Banner>
      )}
      <AfkClock state={state} shown={shown} client={client} />
      <div className="sp-halves sp-afk-more" data-stretch="">
        <ExitRulesCard />
        <div className="sp-stack">
          <BudgetCard state={state} />
          <WeekCard state={state} earnedToday={shown.progress.earnedToday} />
        </div>
      </div>
    </Page>
  );
}

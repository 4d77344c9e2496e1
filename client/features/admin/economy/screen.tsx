import type { ReactNode } from 'react';
import { Link, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { can } from '#shared/can.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { STAFF_WIRE } from '#shared/contract/wire-staff.ts';
import { href } from '#shared/routes/staff-href.ts';
import { SOURCE_NAMES } from '#shared/earning-sources.ts';
import { ECONOMY_DAYS } from '#shared/schemas/people.ts';
import { useAccountText } from '../parts/flow-figure.tsx';
import { Charts } from './charts-card.tsx';
import { sum } from '../parts/sum.ts';
import { SourcesCard } from './sources-card.tsx';

/** Days shown where the address names none. */
const DAYS = 14;

/** How many days the address asks for. */
function requestedDays(url: string): number {
  const asked = Number(new URL(url).searchParams.get('days'));
  return ECONOMY_DAYS.find((days) => days === asked) ?? DAYS;
}

/** The figures of the days asked for. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminEconomy.get({ query: { days: String(requestedDays(args.request.url)) } });
}
export type EconomyData = Awaited<ReturnType<typeof loader>>;

const sourceInput = z.strictObject({ source: z.enum(SOURCE_NAMES), enabled: z.boolean() });

/** Turns an earning source on or off. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, sourceInput, async (body) => {
    await apiOf(args).adminEconomy.setEnabled({ body });
    return body;
  });
}
type Answer = FormResult<z.output<typeof sourceInput>>;

/** /mc-admin/economy (behaviour 8.2) */
export default function EconomyScreen(): ReactNode {
  const t = useT('economy');
  const data = useLoaderData<typeof loader>();
  const answer = useActionData() as Answer | undefined;
  const shown = data.days.length;
  const csv = endpointUrl(STAFF_WIRE.adminEconomy.export, { query: { days: String(shown) } });
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={t('lead')}
        crumbs={useCrumbs()}
        actions={
          <a className="sp-btn" data-variant="ghost" href={csv} download>
            <Icon name="download" />
            {t('export')}
          </a>
        }
      />
      <SourceNotice answer={answer} />
      <div className="sp-economy sp-stack">
        <SegmentedLinks
          label={t('range')}
          items={ECONOMY_DAYS.map((days) => ({
            to: `${href('admin.economy')}?days=${days}`,
            label: t('days', { count: days }),
            current: days === shown,
          }))}
        />
        <KeyFigures data={data} />
        <Charts data={data} />
        <div className="sp-split">
          <SourcesCard sources={data.sources} />
          <EarnersCard earners={data.earners} />
        </div>
      </div>
    </Page>
  );
}

function SourceNotice({ answer }: { answer: Answer | undefined }): ReactNode {
  const t = useT('economy');
  const errors = useErrorText();
  const accountText = useAccountText();
  if (!answer) return null;
  if (!answer.ok)
    return (
      <Banner tone="danger" live>
        {errors.code(answer.code)}
      </Banner>
    );
  const source = accountText(`reward.${answer.result.source}`);
  return (
    <Banner tone={answer.result.enabled ? 'positive' : 'warning'} live>
      {t(answer.result.enabled ? 'resumedNow' : 'stoppedNow', { source })}
    </Banner>
  );
}

/** Shown where there is no number yet. */
const NONE = '\u2013';

/** The key figures. */
function KeyFigures({ data }: { data: EconomyData }): ReactNode {
  const t = useT('economy');
  const format = useFormat();
  const { flows, circulation, velocity, reserved, held, forecast } = data;
  const minted = sum(flows.flatMap((flow) => flow.minted));
  const burnt = sum(flows.flatMap((flow) => flow.burnt));
  const today = sum(flows.map((flow) => (flow.minted.at(-1) ?? 0) - (flow.burnt.at(-1) ?? 0)));
  const signed = (n: number): string => `${n > 0 ? '+' : n < 0 ? '\u2212' : ''}${format.number(Math.abs(n))}`;
  const days = { count: data.days.length };
  // Rewards on hold are part of what is reserved: one figure, with the part that waits for review.
  const reservedNote =
    held.credits > 0
      ? t('reservedHold', { count: reserved.count, amount: format.number(held.credits) })
      : t('reservedNote', { count: reserved.count });
  return (
    <section className="sp-card" aria-label={t('title')}>
      <Stats>
        <StatTile
          label={t('circulation')}
          value={<CreditAmount value={circulation.at(-1) ?? 0} />}
          note={t('changeToday', { amount: signed(today) })}
        />
        <StatTile
          label={t('minted')}
          value={<CreditAmount value={minted} variant="plain" />}
          note={t('inDays', days)}
        />
        <StatTile label={t('burnt')} value={<CreditAmount value={burnt} variant="plain" />} note={t('inDays', days)} />
        <StatTile
          label={t('velocity')}
          value={velocity === null ? NONE : format.percent(velocity, 1)}
          note={velocity === null ? t('noVelocity') : t('velocityNote')}
        />
        <StatTile
          label={t('reserved')}
          value={<CreditAmount value={reserved.credits} variant="plain" />}
          note={reservedNote}
        />
        <StatTile
          label={t('forecast')}
          value={forecast === null ? NONE : <CreditAmount value={forecast.later} variant="plain" />}
          note={
            forecast === null
              ? t('noForecast')
              : t('forecastNote', { perDay: signed(forecast.per_day), count: forecast.basis })
          }
        />
      </Stats>
    </section>
  );
}

/** Who earned most this month. */
function EarnersCard({ earners }: { earners: EconomyData['earners'] }): ReactNode {
  const t = useT('economy');
  const { permissions } = useShell().session;
  const mayOpen = can(permissions, 'admin.users.edit');
  if (earners.length === 0) {
    return (
      <Card title={t('earners')} text={t('earnersText')}>
        <p className="sp-lead">{t('noEarners')}</p>
      </Card>
    );
  }
  return (
    <Card title={t('earners')} text={t('earnersText')} flush>
      <List label={t('earners')}>
        {earners.map(({ id, username, credits }) => (
          <ListItem
            key={id}
            title={
              mayOpen ? (
                <Link className="sp-link" to={href('admin.users.edit', { id })}>
                  {username}
                </Link>
              ) : (
                username
              )
            }
            end={<CreditAmount value={credits} variant="plain" />}
          />
        ))}
      </List>
    </Card>
  );
}

import type { ReactNode } from 'react';
import { Link, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Pips } from '#client/ui/bar.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { SETUP_SETTINGS } from '#shared/setup-guide.ts';
import { StepBody } from './step.tsx';
import { stepHref, stepOf, type SetupAnswer } from './steps.ts';

/** Saves what a step asked for and has it checked. */
export const action = lazyAction(() => import('./action.ts'));

/** Where every step stands, and what the open one asks for. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const { origin, searchParams } = new URL(args.request.url);
  const guide = await api.adminSetup.get({ query: { origin } });
  const chosen = stepOf(searchParams.get('step'));
  const current = guide.steps.find(({ step, state }) => (chosen === null ? state === 'open' : step === chosen)) ?? null;
  const { rows } = await api.adminSettings.list({});
  const valueOf = (wanted: SettingKey): string => String(rows.find(({ key }) => key === wanted)?.value ?? '');
  const asksPanels = current?.step === 'panel' || current?.step === 'catalogue';
  return {
    ...guide,
    current,
    app: valueOf('app_name'),
    currency: valueOf('currency'),
    rows: rows.filter(({ key }) => current !== null && isSettingKey(key) && SETUP_SETTINGS[current.step].includes(key)),
    panels: asksPanels ? (await api.adminPanels.list()).panels : [],
  };
}
export type SetupData = Awaited<ReturnType<typeof loader>>;

/** /mc-admin/setup: the guide through the first hour of a host. */
export default function SetupScreen(): ReactNode {
  const t = useT('setup');
  const data = useLoaderData<typeof loader>();
  return (
    <Page>
      <PageHead
        title={t('title', { app: data.app })}
        text={t('text')}
        crumbs={useCrumbs()}
        actions={
          <LinkButton to={href('admin.dashboard')} variant="ghost">
            {t('later')}
          </LinkButton>
        }
      />
      <div className="sp-split">
        <div className="sp-stack">
          {data.finished && data.current === null && <Finished />}
          <div className="sp-card">
            <ol className="sp-guide">
              {data.steps.map((each, index) => (
                <Step key={each.step} number={index + 1} step={each} data={data} />
              ))}
            </ol>
          </div>
        </div>
        <Overview data={data} />
      </div>
    </Page>
  );
}

/** A step: its name and state, and what it asks for where it is the open one. */
function Step({
  number,
  step: { step, state },
  data,
}: {
  number: number;
  step: SetupData['steps'][number];
  data: SetupData;
}): ReactNode {
  const t = useT('setup');
  const answer = useActionAnswer<SetupAnswer>();
  const current = data.current?.step === step;
  const mark = state === 'done' ? <Icon name="check" size="sm" /> : number;
  const text = (
    <span className="sp-guide__text">
      <span className="sp-guide__title">{t(`step.${step}.title`)}</span>
      <span className="sp-guide__fact">{t(`step.${step}.text`)}</span>
    </span>
  );
  return (
    <li className="sp-guide__step" data-state={current ? 'now' : state} aria-current={current ? 'step' : undefined}>
      {current ? (
        <h2 className="sp-guide__head">
          <span className="sp-guide__mark sp-num">{mark}</span>
          {text}
        </h2>
      ) : (
        <Link className="sp-guide__head" to={stepHref(step)} preventScrollReset>
          <span className="sp-guide__mark sp-num">{mark}</span>
          {text}
          <span className="sp-guide__state">{t(`state.${state}`)}</span>
          <Icon name="chevron-down" size="sm" />
        </Link>
      )}
      {current && data.current && (
        <StepBody
          key={`${step} ${state}`}
          data={data}
          step={step}
          answer={answer?.step === step ? answer : undefined}
          checks={data.current.checks}
        />
      )}
    </li>
  );
}

function Overview({ data }: { data: SetupData }): ReactNode {
  const t = useT('setup');
  const { settings } = useShell();
  const done = data.steps.filter(({ state }) => state !== 'open').length;
  const open = settings.registration_enabled === true;
  return (
    <div className="sp-stack sp-guide-aside">
      <Card title={t('progress')}>
        <div className="sp-stack" data-gap="3">
          <p className="sp-num">{t('progressOf', { done, count: data.steps.length })}</p>
          <Pips used={done} total={data.steps.length} tone="accent" />
          <p className="sp-muted sp-small">{t('progressText')}</p>
        </div>
      </Card>
      <Card
        title={t('step.address.title')}
        aside={<TextLink to={`${href('admin.settings')}?group=accounts`}>{t('change')}</TextLink>}
      >
        <Facts
          items={[
            { label: t('address'), value: <span className="sp-guide__address">{data.address}</span> },
            {
              label: t('registration'),
              value: (
                <Status shape={open ? 'active' : 'paused'}>{t(open ? 'registrationOn' : 'registrationOff')}</Status>
              ),
            },
          ]}
        />
      </Card>
      <Card
        title={t('comingTitle')}
        text={t('comingText')}
        aside={<TextLink to={href('admin.imports')}>{t('comingLink')}</TextLink>}
      />
    </div>
  );
}

function Finished(): ReactNode {
  const t = useT('setup');
  return (
    <Card>
      <EmptyState
        as="h2"
        art="check"
        title={t('finishedTitle')}
        text={t('finishedText')}
        action={
          <div className="sp-btn-row">
            <LinkButton to={href('admin.dashboard')} variant="primary">
              {t('toOverview')}
            </LinkButton>
            <LinkButton to={href('dashboard')}>{t('toPlayer')}</LinkButton>
          </div>
        }
      />
    </Card>
  );
}

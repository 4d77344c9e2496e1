import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { healthRank } from '#shared/health.ts';
import { DayCard } from './day-card.tsx';
import { JobsCard } from './jobs-card.tsx';
import { HealthRows } from './rows.tsx';
import { useHealthTexts, useSpanText, type HealthRow } from '../parts/health-texts.ts';

/** What the checks found lately. */
export function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminHealth.get({});
}

/** Runs the checks anew, or has the ledger proven. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<'checked' | 'started' | 'running'>> {
  const form = await args.request.formData();
  const api = apiOf(args).adminHealth;
  try {
    if (form.get('_intent') === 'prove') {
      const { started } = await api.proveLedger({});
      return { ok: true, result: started ? 'started' : 'running', at: '' };
    }
    const { checked_at: at } = await api.check({});
    return { ok: true, result: 'checked', at };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

const REFRESH_MS = 30_000;
/** While the ledger is being proven, the page follows. */
const PROVING_MS = 2000;

/** /mc-admin/health (behaviour 8.7) */
export default function HealthScreen(): ReactNode {
  const t = useT('health');
  const data = useLoaderData<typeof loader>();
  const format = useFormat();
  const { now } = useShell();
  useRefresh(data.proving ? PROVING_MS : REFRESH_MS, true);
  const attention = data.rows
    .filter(({ status }) => status !== 'ok')
    .sort((a, b) => healthRank(b.status) - healthRank(a.status));
  const rest = data.rows.filter(({ status }) => status === 'ok');
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={
          <Rich
            t={t}
            k="text"
            vars={{ when: format.relative(data.checked_at, Date.parse(now)) }}
            tags={{ code: <code /> }}
          />
        }
        crumbs={useCrumbs()}
        actions={
          <>
            <Report rows={data.rows} />
            <Form noSummary preventScrollReset>
              <Button type="submit" name="_intent" value="check" variant="primary" icon="refresh">
                {t('checkNow')}
              </Button>
            </Form>
          </>
        }
      />
      <Answer />
      <DayCard day={data.day} now={now} />
      {attention.length === 0 && <AllFine rows={data.rows} />}
      <HealthRows title={t('attention')} rows={attention} proving={data.proving} />
      <HealthRows title={t('rest')} rows={rest} proving={data.proving} />
      <JobsCard jobs={data.jobs} />
    </Page>
  );
}

/** The answer to the last command. */
function Answer(): ReactNode {
  const t = useT('health');
  const error = useErrorText();
  const answer = useActionAnswer<Awaited<ReturnType<typeof action>>>();
  if (!answer || (answer.ok && answer.result === 'checked')) return null;
  if (!answer.ok)
    return (
      <Banner tone="danger" live>
        {error.code(answer.code)}
      </Banner>
    );
  return <Banner live>{t(answer.result === 'started' ? 'proofStarted' : 'proofRunning')}</Banner>;
}

function AllFine({ rows }: { rows: readonly HealthRow[] }): ReactNode {
  const t = useT('health');
  const span = useSpanText();
  const slowest = Math.max(0, ...rows.map(({ took_ms: ms }) => ms));
  return (
    <Card>
      <EmptyState
        as="h2"
        art="log"
        title={t('fine')}
        text={t('fineText', { count: rows.length, slowest: span(slowest) })}
      />
    </Card>
  );
}

/** Copies what the checks found as lines of text, for a message to somebody who helps. */
function Report({ rows }: { rows: readonly HealthRow[] }): ReactNode {
  const t = useT('health');
  const texts = useHealthTexts();
  const lines = rows.map((row) => `${t(`status.${row.status}`)}  ${texts.name(row)}: ${texts.found(row)}`);
  return (
    <CopyButton text={lines.join('\n')} what={t('report')}>
      {t('copy')}
    </CopyButton>
  );
}

import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Bar, share } from '#client/ui/bar.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Form } from '#client/ui/form.tsx';
import { meterTone } from '#client/ui/resource-meter.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { useAccountText } from '../parts/flow-figure.tsx';
import type { EconomyData } from './screen.tsx';

type Source = EconomyData['sources'][number];

/** What each source paid today, its budget, and its kill switch. */
export function SourcesCard({ sources }: { sources: EconomyData['sources'] }): ReactNode {
  const t = useT('economy');
  const { settings } = useShell();
  const accountText = useAccountText();
  return (
    <Card title={t('sources')} text={t('sourcesText', { zone: String(settings.app_timezone) })} flush>
      <DataTable
        caption={t('sources')}
        rows={sources}
        rowKey={(row) => row.source}
        rowName={(row) => accountText(`reward.${row.source}`)}
        columns={useColumns()}
      />
    </Card>
  );
}

function useColumns(): readonly Column<Source>[] {
  const t = useT('economy');
  const accountText = useAccountText();
  const mayEdit = can(useShell().session.permissions, 'admin.economy.edit');
  return [
    { key: 'source', label: t('source'), title: true, cell: ({ source }) => accountText(`reward.${source}`) },
    { key: 'used', label: t('paidToday'), cell: (row) => <Budget source={row} /> },
    { key: 'state', label: t('state'), cell: (row) => <State source={row} /> },
    ...(mayEdit
      ? [
          {
            key: 'switch',
            label: t('stop'),
            align: 'end' as const,
            cell: (row: Source) => <SourceSwitch source={row} />,
          },
        ]
      : []),
  ];
}

function Budget({ source: { used, budget } }: { source: Source }): ReactNode {
  const t = useT('economy');
  const format = useFormat();
  if (budget === 0)
    return (
      <>
        <CreditAmount value={used} variant="plain" /> <span className="sp-muted">{t('noBudget')}</span>
      </>
    );
  return (
    <span className="sp-mini">
      <span className="sp-num">{t('ofBudget', { used: format.number(used), budget: format.number(budget) })}</span>
      <Bar value={share(used, budget)} tone={meterTone(used, budget)} />
    </span>
  );
}

function State({ source: { enabled, used, budget } }: { source: Source }): ReactNode {
  const t = useT('economy');
  if (!enabled) return <Status shape="paused">{t('stopped')}</Status>;
  return budget > 0 && used >= budget ? (
    <Status shape="full">{t('spent')}</Status>
  ) : (
    <Status shape="active">{t('running')}</Status>
  );
}

/** The kill switch; with scripts it asks first. */
function SourceSwitch({ source: { source, enabled } }: { source: Source }): ReactNode {
  const t = useT('economy');
  const submit = useSubmit();
  const name = useAccountText()(`reward.${source}`);
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const question = enabled
      ? { title: t('stopAsk', { source: name }), text: t('stopText'), ok: t('stop'), tone: 'danger' as const }
      : { title: t('resumeAsk', { source: name }), text: t('resumeText'), ok: t('resume') };
    if (await dialogs.confirm(question)) await submit(form, { preventScrollReset: true });
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)} preventScrollReset>
      <input type="hidden" name="source" value={source} />
      <input type="hidden" name="enabled" value={String(!enabled)} />
      <Button
        type="submit"
        size="sm"
        variant={enabled ? 'danger-quiet' : 'secondary'}
        icon={enabled ? 'pause' : 'play'}
        aria-label={t(enabled ? 'stopWhat' : 'resumeWhat', { source: name })}
      >
        {t(enabled ? 'stop' : 'resume')}
      </Button>
    </Form>
  );
}

import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import { HEALTH_STATUSES } from '#shared/health.ts';
import { href } from '#shared/routes/staff-href.ts';
import { SHAPES, useHealthTexts } from '../parts/health-texts.ts';
import { PartBody } from './part-body.tsx';
import type { OverviewData } from './screen.tsx';

type Health = NonNullable<Awaited<OverviewData['system']>>;

/** What the checks of the installation complain of, the worst first, and how many are fine. */
export function SystemPart({ value }: { value: NonNullable<OverviewData['system']> }): ReactNode {
  const t = useT('admin');
  return (
    <Card
      title={t('part.system')}
      aside={
        <LinkButton to={href('admin.health')} size="sm" variant="ghost" iconEnd="arrow-right">
          {t('openHealth')}
        </LinkButton>
      }
    >
      <PartBody value={value} rows={6}>
        {(data) => <Checks rows={data.rows} />}
      </PartBody>
    </Card>
  );
}

function Checks({ rows }: { rows: Health['rows'] }): ReactNode {
  const t = useT('admin');
  const texts = useHealthTexts();
  const badness = (row: Health['rows'][number]) => HEALTH_STATUSES.indexOf(row.status);
  const fine = rows.filter(({ status }) => status === 'ok').length;
  return (
    <ul className="sp-system" aria-label={t('part.system')}>
      {rows
        .filter(({ status }) => status !== 'ok')
        .toSorted((a, b) => badness(b) - badness(a))
        .map((row) => (
          <li key={`${row.key} ${row.subject ?? ''}`}>
            <Status shape={SHAPES[row.status]}>{texts.name(row)}</Status>
            <p className="sp-muted">{texts.found(row)}</p>
          </li>
        ))}
      {fine > 0 && (
        <li>
          <Status shape={SHAPES.ok}>{t('checksFine', { count: fine })}</Status>
        </li>
      )}
    </ul>
  );
}

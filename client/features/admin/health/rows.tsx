import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Sparkline } from '#client/ui/sparkline.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { HealthKey } from '#shared/health.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ROUTES } from '#shared/routes/table.ts';
import { SHAPES, useHealthTexts, type HealthRow } from '../parts/health-texts.ts';

/** The pages where something can be done about what is not fine, by their texts (`health:go.<name>`). */
const PLACES = {
  panels: { route: 'admin.panels.list', query: '' },
  settings: { route: 'admin.settings', query: '?group=mail' },
  failedMails: { route: 'admin.mails.list', query: '?state=failed' },
  waitingMails: { route: 'admin.mails.list', query: '?state=queued' },
  backups: { route: 'admin.backups', query: '' },
  log: { route: 'admin.logs', query: '?q=jobs.dead' },
} as const;
/** The page of a check, or of one of its codes: a check that has one adds its line. */
const PLACE_OF: Readonly<Partial<Record<HealthKey | `${HealthKey}.${string}`, keyof typeof PLACES>>> = {
  panels: 'panels',
  mail: 'settings',
  'mail.failing': 'failedMails',
  'mail.stuck': 'waitingMails',
  backup: 'backups',
  'jobs.dead': 'log',
};

/** Checks with what they found; nothing if there are none. */
export function HealthRows(props: { title: string; rows: readonly HealthRow[]; proving: boolean }): ReactNode {
  const { title, rows, proving } = props;
  if (rows.length === 0) return null;
  return (
    <Card title={title} count={rows.length} flush>
      <ul className="sp-health" aria-label={title}>
        {rows.map((row) => (
          <Row key={`${row.key} ${row.subject ?? ''}`} row={row} proving={proving} />
        ))}
      </ul>
    </Card>
  );
}

function Row({ row, proving }: { row: HealthRow; proving: boolean }): ReactNode {
  const t = useT('health');
  const texts = useHealthTexts();
  const advice = row.status === 'ok' ? '' : texts.advice(row);
  const name = texts.name(row);
  return (
    <li className="sp-health__row" data-status={row.status}>
      <Status shape={SHAPES[row.status]}>{t(`status.${row.status}`)}</Status>
      <div className="sp-health__text">
        <h3>{name}</h3>
        <p className="sp-health__means">{texts.means(row)}</p>
        <p>{texts.found(row)}</p>
        {advice !== '' && <p className="sp-health__do">{advice}</p>}
      </div>
      <span className="sp-health__spark">
        <Sparkline values={row.trend} label={t('trendLabel', { name })} />
      </span>
      <span className="sp-health__act">
        <RowAction row={row} proving={proving} />
      </span>
    </li>
  );
}

function RowAction({ row, proving }: { row: HealthRow; proving: boolean }): ReactNode {
  const t = useT('health');
  const { permissions } = useShell().session;
  if (row.key === 'ledger') {
    return (
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="prove" />
        <Button type="submit" size="sm" disabled={proving}>
          {t('prove')}
        </Button>
      </Form>
    );
  }
  const name = PLACE_OF[`${row.key}.${row.code}`] ?? PLACE_OF[row.key];
  if (row.status === 'ok' || name === undefined) return null;
  const { route, query } = PLACES[name];
  if (!can(permissions, ROUTES[route].guard)) return null;
  return (
    <LinkButton to={`${href(route)}${query}`} size="sm">
      {t(`go.${name}`)}
    </LinkButton>
  );
}

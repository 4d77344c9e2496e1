import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { PartBody } from './part-body.tsx';
import type { OverviewData } from './screen.tsx';

/** Lines that stand here, and characters of each. */
const LINES = 5;
const LENGTH = 160;

/** The last warnings and errors of the log, each with the way to the rest of its request. */
export function LogsPart({ value }: { value: NonNullable<OverviewData['logs']> }): ReactNode {
  const t = useT('admin');
  const texts = useT('overview');
  return (
    <Card
      title={t('part.logs')}
      text={texts('logs.text')}
      flush
      aside={
        <LinkButton to={`${href('admin.logs')}?level=warn`} size="sm" variant="ghost" iconEnd="arrow-right">
          {texts('logs.open')}
        </LinkButton>
      }
    >
      <PartBody value={value} rows={LINES}>
        {({ lines }) => <Lines lines={lines.slice(0, LINES)} />}
      </PartBody>
    </Card>
  );
}

function Lines({ lines }: { lines: NonNullable<Awaited<OverviewData['logs']>>['lines'] }): ReactNode {
  const t = useT('admin');
  const texts = useT('overview');
  const format = useFormat();
  const nowMs = Date.parse(useShell().now);
  if (lines.length === 0) return <EmptyState art="log" title={texts('logs.none')} text={texts('logs.noneText')} />;
  return (
    <List label={t('part.logs')}>
      {lines.map(({ id, at, level, event, details, request_id: request }) => (
        <ListItem
          key={id}
          icon={level === 'error' ? 'circle-alert' : 'alert'}
          tone={level === 'error' ? 'danger' : 'warning'}
          title={<code>{event}</code>}
          text={details.length > LENGTH ? `${details.slice(0, LENGTH)}…` : details}
          end={<time dateTime={at}>{format.when(at, nowMs)}</time>}
          {...(request === null ? {} : { to: `${href('admin.logs')}?request=${request}` })}
        />
      ))}
    </List>
  );
}

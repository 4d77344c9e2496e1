import type { ReactNode } from 'react';
import { useDeviceText } from '#client/lib/device-text.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { TextLink } from '#client/ui/link-button.tsx';
import { can } from '#shared/can.ts';
import type { AuditEntryView } from '#shared/contract/logs.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ROUTES } from '#shared/routes/table.ts';

/** Entries of the audit log: who did what, from where, and each value before and after. */
export function AuditEntries({ entries }: { entries: readonly AuditEntryView[] }): ReactNode {
  const t = useT('staffLogs');
  return (
    <ol className="sp-audit" aria-label={t('auditTitle')}>
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry }: { entry: AuditEntryView }): ReactNode {
  const t = useT('staffLogs');
  const admin = useT('admin');
  const loose = useLooseT('admin');
  const format = useFormat();
  const device = useDeviceText();
  const { now, session } = useShell();
  const { actor, action, target, address, request_id: request, changes } = entry;
  const facts = [device(entry.device ?? ''), address ?? ''].filter((fact) => fact !== '');
  return (
    <li className="sp-audit__entry">
      <div className="sp-audit__head">
        <p className="sp-audit__title">
          {loose([`activity.${action.replaceAll('.', '_')}`, 'activity.other'], {
            actor: actor ?? admin('system'),
            target: target ?? '',
            action,
          })}
        </p>
        <time dateTime={entry.at} title={format.dateTime(entry.at)}>
          {format.when(entry.at, Date.parse(now))}
        </time>
      </div>
      {changes.length > 0 && (
        <dl className="sp-audit__changes">
          {changes.map(({ name, before, after }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {before !== null && <del>{before}</del>}
                {before !== null && after !== null && <span aria-hidden> → </span>}
                {after !== null && <ins>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="sp-audit__facts">
        {actor !== null && (
          <TextLink to={`${href('admin.audit')}?actor=${encodeURIComponent(actor)}`}>{actor}</TextLink>
        )}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {request !== null && can(session.permissions, ROUTES['admin.logs'].guard) && (
          <TextLink to={`${href('admin.logs')}?request=${request}`}>{t('request')}</TextLink>
        )}
      </p>
    </li>
  );
}

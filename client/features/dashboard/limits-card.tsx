import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { Format } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import type { ResourceKind } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import type { DashboardData } from './screen.tsx';

/** Formats an amount of a resource with its unit: MB, per cent of a core, or a count. */
function amountFormatter(kind: ResourceKind, format: Format): (n: number) => string {
  if (kind === 'memory' || kind === 'disk') return format.memory;
  if (kind === 'cpu') return (n) => format.percent(n / 100);
  return format.number;
}

/** The visitor's resource limits and their usage. */
export function LimitsCard({ meters }: { meters: DashboardData['meters'] }): ReactNode {
  const t = useT('dashboard');
  const format = useFormat();
  const { flags } = useShell();
  const full = RESOURCE_KINDS.filter((kind) => meters[kind].limit > 0 && meters[kind].used >= meters[kind].limit);
  const [first] = full;
  return (
    <Card
      title={t('limits')}
      aside={
        flags.store_enabled && (
          <LinkButton to={href('store')} variant="ghost" size="sm" iconEnd="chevron-right">
            {t('store')}
          </LinkButton>
        )
      }
    >
      <ul className="sp-meters sp-limits">
        {RESOURCE_KINDS.map((kind) => (
          <li key={kind}>
            <ResourceMeter
              stacked
              label={t(`limit.${kind}`)}
              used={meters[kind].used}
              total={meters[kind].limit}
              format={amountFormatter(kind, format)}
              counted={['slots', 'ports', 'databases', 'backups'].includes(kind)}
            />
          </li>
        ))}
        {first && flags.store_enabled && (
          <li className="sp-limits__full">
            <p>
              {full.length === 1 ? t('fullOne', { kind: t(`limit.${first}`) }) : t('fullMany', { count: full.length })}
            </p>
            <TextLink to={href('store')}>{t('raise')}</TextLink>
          </li>
        )}
      </ul>
    </Card>
  );
}

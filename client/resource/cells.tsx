import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Bar, share } from '#client/ui/bar.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { meterTone } from '#client/ui/resource-meter.tsx';
import { Status } from '#client/ui/status.tsx';
import { useAreaTexts, type Area, type Overrides, type Row } from './area.ts';

interface CellProps {
  definition: Area;
  /** Column of the definition. */
  name: string;
  row: Row;
  overrides?: Overrides | undefined;
  /** Makes the value a link, for the one that names the row. */
  to?: string | undefined;
}

/** A value of a row, as its column says. Nothing is shown as a dash. */
export function ResourceCell({ definition, name, row, overrides, to }: CellProps): ReactNode {
  const Own = overrides?.cells?.[name];
  const content = Own ? <Own row={row} /> : <Value definition={definition} name={name} row={row} />;
  return to === undefined ? content : <Link to={to}>{content}</Link>;
}

function Value({ definition, name, row }: CellProps): ReactNode {
  const format = useFormat();
  const texts = useAreaTexts(definition.area);
  const { now } = useShell();
  const column = definition.columns[name];
  const value = row[name];
  if (
    value === null ||
    value === undefined ||
    value === '' ||
    value === false ||
    (value === 0 && column?.format === 'days')
  ) {
    return column?.format === 'switch' ? <Status shape="off">{texts.value(name, false)}</Status> : <Nothing />;
  }
  switch (column?.format) {
    case 'code':
      return <code className="sp-mono">{String(value)}</code>;
    case 'status':
      return <Status shape={column.shapes?.[String(value)] ?? 'queued'}>{texts.value(name, value)}</Status>;
    case 'switch':
      return <Status shape="active">{texts.value(name, true)}</Status>;
    case 'flag':
      return <Badge tone={name === 'vip_only' ? 'vip' : 'neutral'}>{texts.value(name, true)}</Badge>;
    case 'number':
      return format.number(Number(value));
    case 'memory':
      return format.memory(Number(value));
    case 'credits':
      return <CreditAmount value={Number(value)} variant="plain" />;
    case 'days':
      return texts.text('units.days', { count: Number(value) });
    case 'usage':
      return <Usage used={Number(value)} total={Number(row[column.of ?? ''] ?? 0)} />;
    case 'when':
      return <time dateTime={String(value)}>{format.when(String(value), Date.parse(now))}</time>;
    default:
      return (
        <Text value={Array.isArray(definition.fields[name]?.options) ? texts.value(name, value) : String(value)} />
      );
  }
}

/** A long text is truncated; the full text is its tooltip. */
function Text({ value }: { value: string }): ReactNode {
  return <span title={value}>{value}</span>;
}

/** How much is used: numbers with a thin bar. */
function Usage({ used, total }: { used: number; total: number }): ReactNode {
  const format = useFormat();
  return (
    <span className="sp-mini">
      <span className="sp-num">
        {format.number(used)} <span className="sp-muted">/ {format.number(total)}</span>
      </span>
      <Bar value={share(used, total)} tone={meterTone(used, total)} />
    </span>
  );
}

function Nothing(): ReactNode {
  return (
    <span className="sp-muted" aria-hidden="true">
      –
    </span>
  );
}

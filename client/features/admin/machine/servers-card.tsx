import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import type { MachineView } from '#shared/contract/machine.ts';
import { href } from '#shared/routes/staff-href.ts';

type Row = MachineView['servers'][number];
const SHAPES: Readonly<Record<NonNullable<Row['state']>, StatusShape>> = {
  installing: 'installing',
  install_failed: 'failed',
  offline: 'off',
  starting: 'installing',
  running: 'active',
  stopping: 'paused',
};

/** The servers of this machine, those first that use most memory. */
export function ServersCard({ servers, count }: { servers: readonly Row[]; count: number }): ReactNode {
  const t = useT('machine');
  return (
    <Card title={t('servers')} count={count} text={count > servers.length ? t('serversMost') : undefined} flush>
      <DataTable
        caption={t('servers')}
        columns={useColumns()}
        rows={servers}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        phone="lines"
        state={
          servers.length === 0 ? (
            <EmptyState as="h3" art="server" title={t('noServers')} text={t('noServersText')} />
          ) : undefined
        }
      />
    </Card>
  );
}

function useColumns(): readonly Column<Row>[] {
  const t = useT('machine');
  const format = useFormat();
  const bytes = useBytesText();
  const isOff = ({ state }: Row) => state === null || state === 'offline' || state === 'install_failed';
  return [
    {
      key: 'server',
      label: t('server'),
      title: true,
      wrap: true,
      cell: ({ id, name }) => <TextLink to={href('admin.servers.view', { id })}>{name}</TextLink>,
    },
    {
      key: 'state',
      label: t('stateLabel'),
      phone: 'lead',
      cell: (row) => (
        <Status shape={row.halt && isOff(row) ? 'failed' : row.state ? SHAPES[row.state] : 'queued'}>
          {row.halt && isOff(row) ? t(`halt.${row.halt}`) : t(`serverState.${row.state ?? 'unknown'}`)}
        </Status>
      ),
    },
    {
      key: 'cpu',
      label: t('cpu'),
      align: 'end',
      hideOnPhone: true,
      cell: (row) => (isOff(row) ? '–' : format.percent(row.cpu / 100)),
    },
    {
      key: 'memory',
      label: t('memory'),
      align: 'end',
      phone: 'labelled',
      cell: (row) => t('usedOf', { used: bytes(row.memory), limit: format.memory(row.memory_limit) }),
    },
    {
      key: 'disk',
      label: t('disk'),
      align: 'end',
      hideOnPhone: true,
      cell: (row) => t('usedOf', { used: bytes(row.disk), limit: format.memory(row.disk_limit) }),
    },
    { key: 'port', label: t('port'), align: 'end', phone: 'labelled', cell: ({ port }) => port ?? '–' },
  ];
}

import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Bar, share } from '#client/ui/bar.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { meterTone } from '#client/ui/resource-meter.tsx';
import { Status } from '#client/ui/status.tsx';
import type { NodeView } from '#shared/contract/panels.ts';

/** The nodes of the panel with their capacity: memory, disk and ports. */
export function NodesCard({ nodes }: { nodes: readonly NodeView[] }): ReactNode {
  const t = useT('panels');
  return (
    <Card flush title={t('nodes')} text={t('nodesText')}>
      <DataTable
        caption={t('nodes')}
        columns={useColumns()}
        rows={nodes}
        rowKey={(node) => node.id}
        rowName={(node) => node.name}
      />
    </Card>
  );
}

function useColumns(): readonly Column<NodeView>[] {
  const t = useT('panels');
  return [
    {
      key: 'name',
      label: t('name'),
      title: true,
      name: (node) => node.name,
      cell: (node) => (
        <span className="sp-user-name">
          {node.name}
          <span className="sp-muted sp-panel-url">{node.fqdn}</span>
        </span>
      ),
    },
    {
      key: 'places',
      label: t('locations'),
      hideOnPhone: true,
      wrap: true,
      cell: (node) => node.places.join(', ') || <span className="sp-muted">–</span>,
    },
    { key: 'state', label: t('stateLabel'), cell: (node) => <NodeState node={node} /> },
    { key: 'memory', label: t('memory'), cell: (node) => <CapacityCell used={node.memory_used} total={node.memory} /> },
    { key: 'disk', label: t('disk'), cell: (node) => <CapacityCell used={node.disk_used} total={node.disk} /> },
    { key: 'ports', label: t('ports'), cell: (node) => <Ports node={node} /> },
  ];
}

function NodeState({ node }: { node: NodeView }): ReactNode {
  const t = useT('panels');
  if (node.vanished_at !== null) return <Status shape="failed">{t('node.vanished')}</Status>;
  if (node.maintenance) return <Status shape="paused">{t('node.maintenance')}</Status>;
  return node.public ? (
    <Status shape="active">{t('node.open')}</Status>
  ) : (
    <Status shape="off">{t('node.private')}</Status>
  );
}

/** Allocated of an amount in MB, over-allocation included. */
function CapacityCell({ used, total }: { used: number; total: number | null }): ReactNode {
  const t = useT('panels');
  const format = useFormat();
  return (
    <span className="sp-mini">
      <span className="sp-num">
        {format.memory(used)} <span className="sp-muted">/ {total === null ? t('noLimit') : format.memory(total)}</span>
      </span>
      {total !== null && <Bar value={share(used, total)} tone={meterTone(used, total)} />}
    </span>
  );
}

function Ports({ node: { ports, ports_free: free } }: { node: NodeView }): ReactNode {
  const t = useT('panels');
  return (
    <span className="sp-mini">
      <span className="sp-num">{t('portsFree', { count: free, all: ports })}</span>
      <Bar value={share(ports - free, ports)} tone={meterTone(ports - free, ports)} />
    </span>
  );
}

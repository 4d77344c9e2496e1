import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import type { ImportDetailsView, ImportNoteView } from '#shared/contract/imports.ts';
import { href } from '#shared/routes/staff-href.ts';

const pageOf = (id: string, rest: string) => `${href('admin.imports')}?run=${id}${rest}`;

/** What there is to say of rows, by kind and reason, with how often; each leads to its rows. */
export function Remarks({ details: { run, summary, kept } }: { details: ImportDetailsView }): ReactNode {
  const t = useT('imports');
  const text = useRemarkText();
  return (
    <Card
      title={t('remarks')}
      flush
      {...(kept && summary.notes.length > 0
        ? {
            aside: (
              <LinkButton to={`/api/admin/imports/${run.id}/report.csv`} size="sm" icon="download" reloadDocument>
                {t('csv')}
              </LinkButton>
            ),
          }
        : {})}
    >
      <DataTable
        phone="lines"
        caption={t('remarks')}
        columns={useRemarkColumns(run.id, kept)}
        rows={summary.notes}
        rowKey={({ kind, reason }) => `${kind}:${reason}`}
        rowName={text}
        state={<EmptyState as="h3" art="check" title={t('remarksNone')} />}
      />
    </Card>
  );
}

interface RowsProps {
  readonly details: ImportDetailsView;
  readonly rows: { readonly notes: readonly ImportNoteView[]; readonly next: number | null };
  readonly query: URLSearchParams;
}

/** The rows of which something was said, those of the address. */
export function Rows({ details: { run }, rows, query }: RowsProps): ReactNode {
  const t = useT('imports');
  const next = new URLSearchParams(query);
  next.set('after', String(rows.next));
  return (
    <>
      <Card title={t('rows')} flush>
        <DataTable
          phone="lines"
          caption={t('rows')}
          columns={useRowColumns()}
          rows={rows.notes}
          rowKey={({ seq }) => String(seq)}
          rowName={({ label, id }) => label || id}
          state={<EmptyState as="h3" art="check" title={t('remarksNone')} />}
        />
      </Card>
      <div className="sp-btn-row">
        <LinkButton to={pageOf(run.id, '')} variant="ghost">
          {t(run.state === 'checked' ? 'result' : 'resultDone')}
        </LinkButton>
        {(query.has('kind') || query.has('reason')) && (
          <LinkButton to={pageOf(run.id, '&rows=')} variant="ghost">
            {t('allRows')}
          </LinkButton>
        )}
        {rows.next !== null && (
          <LinkButton to={`${href('admin.imports')}?${next.toString()}`} iconEnd="arrow-right">
            {t('next')}
          </LinkButton>
        )}
      </div>
    </>
  );
}

type Remark = ImportDetailsView['summary']['notes'][number];

function useRemarkText(): (remark: Remark) => string {
  const t = useT('imports');
  return ({ kind, reason }) => `${t(`kind.${kind}`)}: ${t(`reason.${reason}`)}`;
}

function useRemarkColumns(runId: string, kept: boolean): readonly Column<Remark>[] {
  const t = useT('imports');
  const format = useFormat();
  const text = useRemarkText();
  return [
    {
      key: 'reason',
      label: t('rowReason'),
      title: true,
      name: text,
      cell: (row) =>
        kept ? (
          <TextLink to={pageOf(runId, `&rows=&kind=${row.kind}&reason=${row.reason}`)}>
            {t(`reason.${row.reason}`)}
          </TextLink>
        ) : (
          t(`reason.${row.reason}`)
        ),
    },
    { key: 'kind', label: t('what'), cell: ({ kind }) => t(`kind.${kind}`) },
    { key: 'n', label: t('number'), align: 'end', cell: ({ n }) => format.number(n) },
  ];
}

function useRowColumns(): readonly Column<ImportNoteView>[] {
  const t = useT('imports');
  return [
    {
      key: 'label',
      label: t('rowName'),
      title: true,
      cell: ({ label, id }) => <span className="sp-imports__long">{label || id}</span>,
    },
    { key: 'kind', label: t('what'), cell: ({ kind }) => t(`kind.${kind}`) },
    {
      key: 'id',
      label: t('rowId'),
      cell: ({ id }) => <span className="sp-imports__long">{id}</span>,
    },
    { key: 'reason', label: t('rowReason'), cell: ({ reason }) => t(`reason.${reason}`) },
  ];
}

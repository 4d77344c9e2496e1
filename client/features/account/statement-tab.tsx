import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useStatementText } from '#client/lib/statement-text.ts';
import { isNarrowed } from '#client/lib/url-state.ts';
import type { ListPatch, ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import type { StatementRow } from '#shared/contract/account.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { href } from '#shared/routes/href.ts';
import type { AccountData } from './screen.tsx';
import { STATEMENT_LIST, statementFilters } from './statement-query.ts';

type Statement = NonNullable<AccountData['statement']>;

/** The list's address with the tab in front, which every link of this part has to keep. */
function useStatementList(): { state: ListState; hrefOf: (patch: ListPatch) => string } {
  const { state, hrefOf } = useListState(STATEMENT_LIST);
  return {
    state,
    hrefOf: (patch) => {
      const [path = '', query] = hrefOf(patch).split('?');
      return `${path}?tab=statement${query ? `&${query}` : ''}`;
    },
  };
}

/** Every movement of the visitor's credits (behaviour 2). */
export function StatementTab({ statement }: { statement: Statement }): ReactNode {
  const t = useT('account');
  const { state, hrefOf } = useStatementList();
  const { rows, paging } = statement;
  return (
    <Card title={t('statement')} flush aside={<CsvLink state={state} />}>
      <Stats>
        <StatTile label={t('balanceNow')} value={<CreditAmount value={statement.balance} />} />
        <StatTile
          label={t('held')}
          value={<CreditAmount value={statement.held} variant="plain" />}
          {...(statement.held > 0 ? { note: t('heldNote') } : {})}
        />
      </Stats>
      <Filters statement={statement} state={state} hrefOf={hrefOf} />
      <Rows rows={rows} narrowed={isNarrowed(state)} />
      {paging.total > 0 && (
        <Pager page={paging.page} size={paging.per_page} total={paging.total} hrefOf={(page) => hrefOf({ page })} />
      )}
    </Card>
  );
}

/** The same rows as a file. */
function CsvLink({ state }: { state: ListState }): ReactNode {
  const t = useT('account');
  const to = endpointUrl(WIRE.account.statementCsv, { query: { ...statementFilters(state) } });
  return (
    <a className="sp-btn" data-variant="secondary" data-size="sm" href={to} aria-label={t('csvLabel')} download>
      <Icon name="download" size="sm" />
      {t('csv')}
    </a>
  );
}

interface FiltersProps {
  statement: Statement;
  state: ListState;
  hrefOf: (patch: ListPatch) => string;
}

function Filters({ statement, state, hrefOf }: FiltersProps): ReactNode {
  const t = useT('account');
  const text = useStatementText();
  const kinds = statement.kinds.map((kind) => ({ value: kind, label: text.kind(kind) }));
  const directions = [
    { value: 'in', label: t('in') },
    { value: 'out', label: t('out') },
  ];
  return (
    <FilterBar
      spec={STATEMENT_LIST}
      state={state}
      hrefOf={hrefOf}
      filters={[
        { name: 'kind', label: t('kindLabel'), options: kinds },
        { name: 'direction', label: t('directionLabel'), options: directions },
      ]}
    >
      <input type="hidden" name="tab" value="statement" />
      <DateFilter name="from" label={t('from')} value={state.filters.from ?? ''} />
      <DateFilter name="to" label={t('to')} value={state.filters.to ?? ''} />
    </FilterBar>
  );
}

function DateFilter({ name, label, value }: { name: string; label: string; value: string }): ReactNode {
  return (
    <label className="sp-account__date">
      <span>{label}</span>
      <input key={value} type="date" className="sp-input" name={name} defaultValue={value} />
    </label>
  );
}

function Rows({ rows, narrowed }: { rows: readonly StatementRow[]; narrowed: boolean }): ReactNode {
  const t = useT('account');
  const ui = useT('ui');
  const text = useStatementText();
  const { flags } = useShell();
  return (
    <DataTable
      caption={t('statement')}
      columns={useColumns()}
      rows={rows}
      rowKey={(row) => row.id}
      rowName={(row) => text.kind(row.kind)}
      state={
        narrowed ? (
          <EmptyState art="search" title={ui('noMatches')} text={ui('noMatchesHint')} />
        ) : (
          <EmptyState
            art="receipt"
            title={t('noMovements')}
            text={t('noMovementsText')}
            action={flags.afk_enabled && <LinkButton to={href('earn.afk')}>{t('earnFirst')}</LinkButton>}
          />
        )
      }
    />
  );
}

function useColumns(): readonly Column<StatementRow>[] {
  const t = useT('account');
  const format = useFormat();
  const text = useStatementText();
  const now = useNow(60_000);
  return [
    {
      key: 'kind',
      label: t('columnKind'),
      title: true,
      cell: (row) => (
        <span className="sp-account__what">
          {text.kind(row.kind)} <span>{text.subject(row)}</span>
        </span>
      ),
    },
    { key: 'at', label: t('columnWhen'), cell: (row) => <time dateTime={row.at}>{format.when(row.at, now)}</time> },
    { key: 'with', label: t('columnWith'), hideOnPhone: true, cell: (row) => text.counterpart(row.counterpart) },
    { key: 'amount', label: t('columnAmount'), align: 'end', cell: (row) => <CreditAmount value={row.amount} variant="signed" /> },
    { key: 'after', label: t('columnAfter'), align: 'end', cell: (row) => format.number(row.balance_after) },
  ];
}

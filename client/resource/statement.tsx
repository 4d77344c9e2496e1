import { useId, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { isGiftFee, useStatementText } from '#client/lib/statement-text.ts';
import { isFiltered } from '#client/lib/url-state.ts';
import type { ListPatch, ListState } from '#client/lib/url-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Facts, type Fact } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { DateInput } from '#client/ui/date-input.tsx';
import { DataTable } from '#client/ui/data-table.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { PageSizes } from '#client/ui/page-sizes.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import type { StatementRow } from '#shared/contract/account.ts';
import { sourceOfKind } from '#shared/earning-sources.ts';
import { isOn } from '#shared/guard.ts';
import { href } from '#shared/routes/href.ts';
import { PLAYER_ROUTES } from '#shared/routes/players.ts';
import { pageOfKind, STATEMENT_KINDS } from '#shared/statement.ts';
import { STATEMENT_LIST } from './statement-query.ts';

/** A page of a statement, as the API returns it. */
export interface StatementData {
  readonly rows: readonly StatementRow[];
  readonly paging: { readonly newer: string | null; readonly older: string | null };
}
/** All kinds: finding out which ones a user has would mean reading the whole wallet. */
const KINDS: readonly string[] = Object.keys(STATEMENT_KINDS);
interface StatementProps {
  statement: StatementData;
  state: ListState;
  hrefOf: (patch: ListPatch) => string;
  /** Shown when there are no rows. */
  empty: ReactNode;
  /** Hidden fields that keep the rest of the address when filters are sent without scripts. */
  children?: ReactNode;
}

/** The rows of a statement with filters and pages; each row opens to say why the balance changed. */
export function StatementList({ statement, state, hrefOf, empty, children }: StatementProps): ReactNode {
  const t = useT('account');
  const ui = useT('ui');
  const text = useStatementText();
  const { rows, paging } = statement;
  // Where all stand on the shortest page, its length changes nothing.
  const hasMore = paging.newer !== null || paging.older !== null || rows.length > Math.min(...STATEMENT_LIST.sizes);
  return (
    <>
      <Filters state={state} hrefOf={hrefOf}>
        {children}
      </Filters>
      <DataTable
        caption={t('statement')}
        columns={useColumns()}
        rows={rows}
        rowKey={(row) => `${row.id}${row.counterpart}`}
        rowName={(row) => text.row(row)}
        phone="lines"
        state={
          isFiltered(state) ? <EmptyState art="search" title={ui('noMatches')} text={ui('noMatchesHint')} /> : empty
        }
      />
      <CursorPager
        words="time"
        first={paging.newer === null ? null : hrefOf({ cursor: null })}
        previous={paging.newer === null ? null : hrefOf({ cursor: { after: paging.newer } })}
        next={paging.older === null ? null : hrefOf({ cursor: { before: paging.older } })}
      >
        {hasMore ? (
          <PageSizes sizes={STATEMENT_LIST.sizes} size={state.size} hrefOf={(size) => hrefOf({ size })} />
        ) : undefined}
      </CursorPager>
    </>
  );
}

/** The same rows as a file. */
export function StatementCsv({ to }: { to: string }): ReactNode {
  const t = useT('account');
  return (
    <a className="sp-btn" data-variant="secondary" data-size="sm" href={to} aria-label={t('csvLabel')} download>
      <Icon name="download" size="sm" />
      {t('csv')}
    </a>
  );
}

function Filters({ state, hrefOf, children }: Omit<StatementProps, 'empty' | 'statement'>): ReactNode {
  const t = useT('account');
  const text = useStatementText();
  const asked = state.filters.kind;
  // A kind that only a plugin knows is offered as long as the address asks for it.
  const kinds = [...KINDS, ...(asked !== undefined && !KINDS.includes(asked) ? [asked] : [])].map((kind) => ({
    value: kind,
    label: text.kind(kind),
  }));
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
      {children}
      <DateFilter name="from" label={t('from')} value={state.filters.from ?? ''} />
      <DateFilter name="to" label={t('to')} value={state.filters.to ?? ''} />
    </FilterBar>
  );
}

function DateFilter({ name, label, value }: { name: string; label: string; value: string }): ReactNode {
  const id = useId();
  return (
    <span className="sp-account__date">
      <label htmlFor={id}>{label}</label>
      <DateInput key={value} id={id} name={name} defaultValue={value} />
    </span>
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
      name: (row) => `${text.row(row)} ${text.subject(row)}`.trim(),
      cell: (row) => <StatementSubject row={row} />,
    },
    { key: 'at', label: t('columnWhen'), cell: (row) => <time dateTime={row.at}>{format.when(row.at, now)}</time> },
    { key: 'with', label: t('columnWith'), hideOnPhone: true, cell: (row) => text.counterpart(row.counterpart) },
    {
      key: 'amount',
      label: t('columnAmount'),
      align: 'end',
      phone: 'lead',
      cell: (row) => <CreditAmount value={row.amount} variant="signed" />,
    },
    {
      key: 'after',
      label: t('columnAfter'),
      align: 'end',
      phone: 'labelled',
      cell: (row) => format.number(row.balance_after),
    },
  ];
}

/** What a row is for; it opens to the explanation. */
function StatementSubject({ row }: { row: StatementRow }): ReactNode {
  const text = useStatementText();
  return (
    <details className="sp-why">
      <summary>
        <Icon name="chevron-right" size="sm" />
        <span className="sp-account__what">
          {text.row(row)} <span>{text.subject(row)}</span>
        </span>
      </summary>
      <StatementExplanation row={row} />
    </details>
  );
}

/** Why the balance changed: what the kind means, and everything that is known of this one. */
function StatementExplanation({ row }: { row: StatementRow }): ReactNode {
  const t = useT('statement');
  const loose = useLooseT('statement');
  const sources = useLooseT('sources');
  const format = useFormat();
  const text = useStatementText();
  const direction = row.amount < 0 ? 'whyOut' : 'whyIn';
  const why = isGiftFee(row) ? ['whyOut.gift.fee'] : [`${direction}.${row.kind}`, `why.${row.kind}`];
  const vars = { subject: text.subject(row) || text.row(row) };
  const source = sourceOfKind(row.kind);
  const known = source === null ? loose(why, vars) : sources(`${source}.why`, vars);
  const facts: Fact[] = [
    ...(row.reason ? [{ label: t('reason'), value: row.reason }] : []),
    ...(row.undoes
      ? [
          {
            label: t('reverses'),
            value: t('reversesWhat', { what: text.kind(row.undoes.kind), date: format.dateTime(row.undoes.at) }),
          },
        ]
      : []),
    { label: t('otherSide'), value: text.counterpart(row.counterpart) },
    ...(row.actor ? [{ label: t('by'), value: row.actor }] : []),
    ...(row.reference ? [{ label: t('reference'), value: <code>{row.reference}</code> }] : []),
    { label: t('number'), value: <code>{row.id}</code> },
  ];
  return (
    <div className="sp-why__text">
      <p>
        {known || (
          <>
            {t('why.other')} <SupportLinks />
          </>
        )}
      </p>
      <Facts items={facts} />
      <RelatedPageLink row={row} />
    </div>
  );
}

/** The page a row is about, where it has one and the visitor may open it. */
function RelatedPageLink({ row }: { row: StatementRow }): ReactNode {
  const loose = useLooseT('statement');
  const sources = useLooseT('sources');
  const { flags, settings } = useShell();
  const page = pageOfKind(row.kind);
  // Rows that staff read have a reference: the linked pages are the user's, not theirs.
  if (!page || row.reference !== null || (page.needsId && row.ref === null)) return null;
  const route = PLAYER_ROUTES[page.to];
  if ('flag' in route && !isOn(route.flag, { ...settings, ...flags })) return null;
  const to = page.to === 'server.view' ? href('server.view', { id: row.ref ?? '' }) : route.path + page.query;
  return (
    <p>
      <Link className="sp-link" to={to}>
        {page.source === null
          ? loose(`open.${page.to.replaceAll('.', '_')}${page.query.replace('?tab=', '_')}`)
          : sources(`${page.source}.open`)}
      </Link>
    </p>
  );
}

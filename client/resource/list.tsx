import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useFetcher, useLoaderData, useLocation, useNavigate, useNavigation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { failure, type FormResult } from '#client/lib/form-action.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { isNarrowed, listSearch, pageCount, readList, writeSort, type ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import type { MenuItem } from '#client/ui/menu.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { BulkBar } from '#client/ui/table-pick.tsx';
import { toasts } from '#client/ui/toasts.ts';
import type { ResourceOptions } from '#shared/contract/crud.ts';
import type { Paging } from '#shared/schemas/primitives.ts';
import { callsOf, listSpec, pages, useMay, useTexts, type Area, type Overrides, type Row, type Texts } from './area.ts';
import { ResourceCell } from './cells.tsx';
import { Saved } from './saved.tsx';

interface Listed {
  readonly rows: readonly Row[];
  readonly paging: Paging;
  readonly options: ResourceOptions;
}
/** What a command on rows did. */
interface Done {
  readonly intent: string;
  readonly done: number;
  readonly refused: number;
}
const NUMBERS: ReadonlySet<string> = new Set(['number', 'credits', 'memory', 'days']);

/** The question that an address asks the API. */
function queryOf(state: ListState): Record<string, string> {
  return {
    ...state.filters,
    q: state.q.slice(0, 100),
    page: String(state.page),
    per_page: String(state.size),
    sort: writeSort(state.sort),
  };
}

/** The list of an area: loader, commands on several rows, screen. */
export function listScreen(definition: Area, overrides?: Overrides): ListScreen {
  const spec = listSpec(definition);
  return {
    async loader(args) {
      const { pathname, search } = new URL(args.request.url);
      const state = readList(search, spec);
      const listed = await callsOf(definition, apiOf(args)).list({ query: queryOf(state) });
      const last = pageCount(listed.paging.total, state.size);
      if (state.page > last) throw redirect(pathname + listSearch(state, spec, { page: last }));
      return listed;
    },
    async action(args) {
      const form = await args.request.formData();
      const ids = form.getAll('id').map(String);
      const intent = String(form.get('_intent'));
      const api = callsOf(definition, apiOf(args));
      try {
        if (intent === 'delete')
          return { ok: true, result: { intent, ...(await api.removeMany({ body: { ids } })) }, at: '' };
        const { done } = await api.turn({ body: { ids, on: intent === 'on' } });
        return { ok: true, result: { intent, done, refused: 0 }, at: '' };
      } catch (error) {
        return failure(error, form);
      }
    },
    Screen: () => <List definition={definition} overrides={overrides} />,
  };
}
export interface ListScreen {
  loader(args: LoaderFunctionArgs): Promise<Listed>;
  action(args: ActionFunctionArgs): Promise<FormResult<Done>>;
  Screen(): ReactNode;
}

function List({ definition, overrides }: { definition: Area; overrides: Overrides | undefined }): ReactNode {
  const { rows, paging, options } = useLoaderData<Listed>();
  const [spec] = useState(() => listSpec(definition));
  const { state, hrefOf } = useListState(spec);
  const t = useT('ui');
  const texts = useTexts(definition.area);
  const may = useMay(definition);
  const { command, busy, picked, pick } = useCommand(texts);
  const to = pages(definition.area);
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const navigate = useNavigate();
  const Extra = overrides?.actions;
  const turn = definition.bulk.switch;
  const bulk = (may('edit') && turn !== undefined) || (may('delete') && definition.bulk.delete === true);
  const titleOf = (row: Row): string => String(row[definition.title]);
  const create = may('create') && (
    <LinkButton to={to.create} variant="primary" icon="plus">
      {texts.text('create')}
    </LinkButton>
  );
  const rowMenu = (row: Row): readonly MenuItem[] => {
    const id = String(row.id);
    const on = turn !== undefined && row[turn] === true;
    return [
      ...(may('edit') ? [{ id: 'edit', label: texts.text('edit'), icon: 'pencil', to: to.edit(id) } as const] : []),
      ...(may('edit') && turn !== undefined
        ? [
            {
              id: 'turn',
              label: texts.text(on ? 'turnOff' : 'turnOn'),
              icon: on ? 'pause' : 'play',
              onSelect: () => command(on ? 'off' : 'on', [id]),
            } as const,
          ]
        : []),
      ...(may('delete')
        ? [
            {
              id: 'delete',
              label: texts.text('delete'),
              icon: 'trash',
              tone: 'danger',
              divided: may('edit'),
              to: to.delete(id),
            } as const,
          ]
        : []),
    ];
  };
  const actions = (
    <>
      <LinkButton
        to={`${definition.path}/export.csv?${new URLSearchParams(queryOf(state)).toString()}`}
        variant="ghost"
        icon="download"
        reloadDocument
        download
      >
        {texts.text('export')}
      </LinkButton>
      {Extra && may('create') && <Extra />}
      {create}
    </>
  );
  // An empty area shows one thing: what it is for and how to begin.
  const nothing = rows.length === 0 && !isNarrowed(state);
  const empty = isNarrowed(state) ? (
    <EmptyState as="h2" art="search" title={t('noMatches')} text={t('noMatchesHint')} />
  ) : (
    <EmptyState
      as="h2"
      title={texts.text('emptyTitle')}
      text={texts.text('emptyText')}
      {...(create ? { action: create } : {})}
    />
  );
  return (
    <Page>
      <PageHead
        title={texts.text('title')}
        text={texts.text('lead')}
        crumbs={useCrumbs()}
        {...(nothing ? {} : { actions })}
      />
      <Saved
        definition={definition}
        rows={rows}
        onDismiss={() => void navigate(hrefOf({}), { replace: true, preventScrollReset: true })}
      />
      <Card flush>
        {!nothing && (
          <FilterBar
            spec={spec}
            state={state}
            hrefOf={hrefOf}
            searchLabel={texts.text('search')}
            filters={filtersOf(definition, options, texts)}
          />
        )}
        <DataTable
          phone="lines"
          caption={texts.text('title')}
          rows={rows}
          rowKey={(row) => String(row.id)}
          rowName={titleOf}
          columns={columnsOf(definition, texts, overrides, may('edit'))}
          sort={state.sort}
          sortHref={(sort) => hrefOf({ sort })}
          {...(may('edit') || may('delete') ? { rowMenu } : {})}
          {...(bulk ? { selection: { picked, change: pick } } : {})}
          state={empty}
          busy={busy || (navigation.state === 'loading' && navigation.location.pathname === pathname)}
        />
        {paging.total > 0 && (
          <Pager page={paging.page} size={paging.per_page} total={paging.total} hrefOf={(page) => hrefOf({ page })} />
        )}
      </Card>
      {bulk && (
        <BulkBar selection={{ picked, change: pick }}>
          {may('edit') && turn !== undefined && (
            <>
              <Button size="sm" variant="ghost" icon="play" onClick={() => command('on', [...picked])}>
                {texts.text('turnOn')}
              </Button>
              <Button size="sm" variant="ghost" icon="pause" onClick={() => command('off', [...picked])}>
                {texts.text('turnOff')}
              </Button>
            </>
          )}
          {may('delete') && definition.bulk.delete && (
            <Button size="sm" variant="danger-quiet" icon="trash" onClick={() => command('delete', [...picked])}>
              {texts.text('delete')}
            </Button>
          )}
        </BulkBar>
      )}
    </Page>
  );
}

/** The columns of the table; the one that names the row leads to its page. */
function columnsOf(definition: Area, texts: Texts, overrides: Overrides | undefined, mayEdit: boolean): Column<Row>[] {
  const lead = leadOf(definition);
  const link = (key: string, row: Row): string | undefined =>
    key === definition.title && mayEdit ? pages(definition.area).edit(String(row.id)) : undefined;
  return Object.entries(definition.columns).map(([key, column]) => ({
    key,
    label: texts.column(key),
    title: key === definition.title,
    cell: (row) => (
      <ResourceCell definition={definition} name={key} row={row} overrides={overrides} to={link(key, row)} />
    ),
    ...(NUMBERS.has(column.format) ? { align: 'end' as const } : {}),
    ...(column.sort ? { sort: column.sort } : {}),
    ...(column.hideOnPhone ? { hideOnPhone: true } : {}),
    ...(key === lead ? { phone: 'lead' as const } : NUMBERS.has(column.format) ? { phone: 'labelled' as const } : {}),
    ...(column.wrap ? { wrap: true } : {}),
  }));
}

/** The column that stands beside the name on phones: whether the row is on, or else its first number. */
function leadOf({ columns, title, bulk }: Area): string | undefined {
  const shown = Object.keys(columns).filter((key) => key !== title && !columns[key]?.hideOnPhone);
  return (
    shown.find((key) => key === bulk.switch) ?? shown.find((key) => columns[key] && NUMBERS.has(columns[key].format))
  );
}

/** Commands on rows, and which rows are picked. What was done is said in a toast. */
function useCommand(texts: Texts) {
  const fetcher = useFetcher<FormResult<Done>>();
  const errors = useErrorText();
  const [picked, pick] = useState<ReadonlySet<string>>(new Set());
  const told = useEffectEvent((answer: FormResult<Done>) => {
    if (!answer.ok) return void toasts.show({ tone: 'danger', title: errors.code(answer.code) });
    const { intent, done, refused } = answer.result;
    if (done > 0) toasts.show({ tone: 'positive', title: texts.text(`done.${intent}`, { count: done }) });
    if (refused > 0) toasts.show({ tone: 'danger', title: texts.text('done.refused', { count: refused }) });
  });
  useEffect(() => {
    if (fetcher.data) told(fetcher.data);
  }, [fetcher.data]);
  const command = async (intent: 'on' | 'off' | 'delete', ids: readonly string[]): Promise<void> => {
    const ask = {
      title: texts.text('deleteMany', { count: ids.length }),
      text: texts.text('deleteManyText'),
      ok: texts.text('delete'),
      tone: 'danger' as const,
    };
    if (intent === 'delete' && !(await dialogs.confirm(ask))) return;
    pick(new Set());
    const form = new FormData();
    form.set('_intent', intent);
    for (const id of ids) form.append('id', id);
    await fetcher.submit(form, { method: 'post' });
  };
  return {
    command: (...args: Parameters<typeof command>) => void command(...args),
    busy: fetcher.state !== 'idle',
    picked,
    pick,
  };
}

function filtersOf(definition: Area, options: ResourceOptions, texts: Texts): readonly Filter[] {
  return Object.entries(definition.filters).map(([name, { options: of }]) => {
    const values = of === 'switch' ? ['true', 'false'] : of === 'answer' ? [] : of;
    return {
      name,
      label: texts.text('any', { what: texts.field(name) }),
      options:
        of === 'answer' ? (options[name] ?? []) : values.map((value) => ({ value, label: texts.value(name, value) })),
    };
  });
}

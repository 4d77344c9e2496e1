import { useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData, useNavigate } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { isFiltered, listSearch, pageCount, readList, writeSort, type ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import type { ResourceOptions } from '#shared/contract/crud.ts';
import type { Paging } from '#shared/schemas/primitives.ts';
import { areaApi, listSpec, areaHrefs, useCan, useAreaTexts, type Area, type Overrides, type Row } from './area.ts';
import { BulkCommands, rowMenuOf, useBulkCommand, type BulkResult } from './list-commands.tsx';
import { columnsOf, filtersOf } from './list-table.tsx';
import { SavedBanner } from './saved.tsx';

interface ListData {
  readonly rows: readonly Row[];
  readonly paging: Paging;
  readonly options: ResourceOptions;
}
/** The API query of a list's state. */
function toListQuery(state: ListState): Record<string, string> {
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
      const listed = await areaApi(definition, apiOf(args)).list({ query: toListQuery(state) });
      const last = pageCount(listed.paging.total, state.size);
      if (state.page > last) throw redirect(pathname + listSearch(state, spec, { page: last }));
      return listed;
    },
    async action(args) {
      const form = await args.request.formData();
      const ids = form.getAll('id').map(String);
      const intent = String(form.get('_intent'));
      const api = areaApi(definition, apiOf(args));
      try {
        if (intent === 'delete')
          return { ok: true, result: { intent, ...(await api.removeMany({ body: { ids } })) }, at: '' };
        const { done } = await api.setEnabled({ body: { ids, enabled: intent === 'on' } });
        return { ok: true, result: { intent, done, refused: 0 }, at: '' };
      } catch (error) {
        return toFormFailure(error, form);
      }
    },
    Screen: () => <List definition={definition} overrides={overrides} />,
  };
}
export interface ListScreen {
  loader(args: LoaderFunctionArgs): Promise<ListData>;
  action(args: ActionFunctionArgs): Promise<FormResult<BulkResult>>;
  Screen(): ReactNode;
}

function List({ definition, overrides }: { definition: Area; overrides: Overrides | undefined }): ReactNode {
  const { rows, paging, options } = useLoaderData<ListData>();
  const [spec] = useState(() => listSpec(definition));
  const list = useListState(spec);
  const { state, hrefOf } = list;
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  const { command, busy, selected, setSelected } = useBulkCommand(texts);
  const navigate = useNavigate();
  const crumbs = useCrumbs();
  // An empty area shows one thing: what it is for and how to begin.
  const nothing = rows.length === 0 && !isFiltered(state);
  const hasBulk = may('edit') && definition.bulk.switch !== undefined;
  const selection =
    hasBulk || (may('delete') && definition.bulk.delete === true) ? { selected, change: setSelected } : null;
  const rowMenu = (row: Row) => rowMenuOf(definition, row, { texts, may, command });
  return (
    <Page>
      <PageHead
        title={texts.text('title')}
        text={texts.text('lead')}
        crumbs={crumbs}
        {...(nothing ? {} : { actions: <Actions definition={definition} state={state} Extra={overrides?.actions} /> })}
      />
      <SavedBanner
        definition={definition}
        rows={rows}
        onDismiss={() => void navigate(hrefOf({}), { replace: true, preventScrollReset: true })}
      />
      <Card flush>
        {!nothing && (
          <FilterBar
            spec={spec}
            {...list}
            searchLabel={texts.text('search')}
            filters={filtersOf(definition, options, texts)}
          />
        )}
        <PagedTable
          list={list}
          paging={paging}
          caption={texts.text('title')}
          rows={rows}
          rowKey={(row) => String(row.id)}
          rowName={(row) => String(row[definition.title])}
          columns={columnsOf(definition, texts, overrides, may('edit'))}
          {...(may('edit') || may('delete') ? { rowMenu } : {})}
          {...(selection ? { selection } : {})}
          empty={<NoRows definition={definition} narrowed={false} />}
          noMatch={<NoRows definition={definition} narrowed />}
          busy={busy}
        />
      </Card>
      {selection && <BulkCommands definition={definition} selection={selection} command={command} />}
    </Page>
  );
}

/** The link to a new row, for those who may create one. */
function CreateLink({ definition }: { definition: Area }): ReactNode {
  const texts = useAreaTexts(definition.area);
  return (
    <LinkButton to={areaHrefs(definition.area).create} variant="primary" icon="plus">
      {texts.text('create')}
    </LinkButton>
  );
}

/** The actions of the list's head: export, those the area adds, a new row. */
function Actions(props: {
  definition: Area;
  state: ListState;
  Extra: NonNullable<Overrides['actions']> | undefined;
}): ReactNode {
  const { definition, state, Extra } = props;
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  return (
    <>
      <LinkButton
        to={`${definition.path}/export.csv?${new URLSearchParams(toListQuery(state)).toString()}`}
        variant="ghost"
        icon="download"
        reloadDocument
        download
      >
        {texts.text('export')}
      </LinkButton>
      {Extra && may('create') && <Extra />}
      {may('create') && <CreateLink definition={definition} />}
    </>
  );
}

/** The empty state: no rows at all, or none that match. */
function NoRows({ definition, narrowed }: { definition: Area; narrowed: boolean }): ReactNode {
  const t = useT('ui');
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  return narrowed ? (
    <EmptyState as="h2" art="search" title={t('noMatches')} text={t('noMatchesHint')} />
  ) : (
    <EmptyState
      as="h2"
      title={texts.text('emptyTitle')}
      text={texts.text('emptyText')}
      {...(may('create') ? { action: <CreateLink definition={definition} /> } : {})}
    />
  );
}

import type { ReactNode } from 'react';
import { useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import type { ImportRunView, ImportsPage } from '#shared/contract/imports.ts';
import { IMPORT_KINDS, IMPORT_PRODUCT_NAMES, IMPORT_PRODUCTS, IMPORT_REASONS } from '#shared/imports.ts';
import { href } from '#shared/routes/staff-href.ts';
import { changeImports, type ImportsAnswer } from './action.ts';
import { ImportDetails } from './details.tsx';
import { CheckForm } from './form.tsx';
import { Messages } from './messages.tsx';
import { stateShape } from './texts.ts';

/** The imports, and the one that the address names: with what was said of its rows where that is asked for. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args).adminImports;
  const query = new URL(args.request.url).searchParams;
  const [id, again] = [query.get('run'), query.get('again')];
  const page = await api.list({});
  const known = (wanted: string | null) => page.runs.some((run) => run.id === wanted);
  const chosen = id ?? again;
  const details = chosen !== null && known(chosen) ? await api.get({ params: { id: chosen } }) : null;
  const kind = IMPORT_KINDS.find((each) => each === query.get('kind'));
  const reason = IMPORT_REASONS.find((each) => each === query.get('reason'));
  const after = /^\d{1,9}$/.test(query.get('after') ?? '') ? (query.get('after') ?? '0') : '0';
  const rows =
    details?.kept && query.has('rows')
      ? await api.notes({
          params: { id: details.run.id },
          query: { ...(kind ? { kind } : {}), ...(reason ? { reason } : {}), after },
        })
      : null;
  return { page, details, rows };
}

/** Begins a dry run, an import or its undoing, or discards what was read. */
export async function action(args: ActionFunctionArgs): Promise<ImportsAnswer | Response> {
  return changeImports(apiOf(args).adminImports, await args.request.formData());
}

/** How often the page looks at what is being done. */
const RUNNING_MS = 1500;
const IDLE_MS = 30_000;

/** /mc-admin/import; `?run=<id>` is one of them, `?source=<product>` begins one. */
export default function ImportsScreen(): ReactNode {
  const { page, details, rows } = useLoaderData<typeof loader>();
  const query = new URLSearchParams(useLocation().search);
  useRefresh(page.running ? RUNNING_MS : IDLE_MS, true);
  const product = IMPORT_PRODUCTS.find((each) => each === query.get('source'));
  if (product)
    return (
      <CheckForm
        product={product}
        before={query.has('again') ? details : null}
        byConnection={query.get('by') === 'connection'}
        page={page}
      />
    );
  if (details && query.has('run'))
    return <ImportDetails key={details.run.id} page={page} details={details} rows={rows} query={query} />;
  return <Imports page={page} removed={query.get('done') === 'remove'} />;
}

function Imports({ page, removed }: { page: ImportsPage; removed: boolean }): ReactNode {
  const t = useT('imports');
  const format = useFormat();
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      {removed && <Banner live>{t('done.remove')}</Banner>}
      <Messages page={page} />
      <div className="sp-imports">
        <div className="sp-stack">
          <Card title={t('new')} text={t('newText')} flush>
            <List>
              {IMPORT_PRODUCTS.map((product) => (
                <ListItem
                  key={product}
                  icon="upload"
                  title={IMPORT_PRODUCT_NAMES[product]}
                  text={t(product === 'heliactyl' ? 'takesFile' : 'takesDump')}
                  to={`${href('admin.imports')}?source=${product}`}
                />
              ))}
            </List>
          </Card>
          <Card title={t('runs')} count={page.runs.length} flush>
            <DataTable
              phone="lines"
              caption={t('runs')}
              columns={useColumns()}
              rows={page.runs}
              rowKey={({ id }) => id}
              rowName={({ created_at: at }) => format.dateTime(at)}
              state={<EmptyState as="h3" art="log" title={t('noRuns')} text={t('noRunsText')} />}
            />
          </Card>
        </div>
        <Card title={t('before')}>
          <ol className="sp-imports__steps">
            <li>{t('beforeBackup')}</li>
            <li>{t('beforeStop')}</li>
            <li>{t('beforePanel')}</li>
          </ol>
        </Card>
      </div>
    </Page>
  );
}

function useColumns(): readonly Column<ImportRunView>[] {
  const t = useT('imports');
  const format = useFormat();
  return [
    {
      key: 'started',
      label: t('started'),
      title: true,
      name: ({ created_at: at }) => format.dateTime(at),
      cell: ({ id, created_at: at }) => (
        <TextLink to={`${href('admin.imports')}?run=${id}`}>
          <time dateTime={at}>{format.dateTime(at)}</time>
        </TextLink>
      ),
    },
    {
      key: 'source',
      label: t('source'),
      cell: ({ product, instance }) => (
        <span className="sp-imports__long">
          {IMPORT_PRODUCT_NAMES[product]}
          {instance !== 'main' && ` · ${instance}`}
        </span>
      ),
    },
    { key: 'users', label: t('kind.user'), align: 'end', cell: ({ users }) => format.number(users) },
    {
      key: 'status',
      label: t('status'),
      phone: 'lead',
      cell: ({ state }) => <Status shape={stateShape(state)}>{t(`state.${state}`)}</Status>,
    },
  ];
}

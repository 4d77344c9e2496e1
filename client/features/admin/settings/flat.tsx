import { lazy } from 'react';
import type { ReactNode } from 'react';
import { Link, useLoaderData, useLocation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { SETTING_GROUPS } from '#shared/setting-rows.ts';
import { isSecret, isSettingKey, MASK, type SettingKey } from '#shared/settings.ts';
import { rowOf } from './form.ts';
import { LIST, loadSettings } from './load.ts';
import { useSettingTexts, type SettingTexts } from './texts.ts';

/** All settings, or those of the group that the address names. */
export async function loader(args: LoaderFunctionArgs) {
  return loadSettings(args, null);
}
type Row = Awaited<ReturnType<typeof loader>>['rows'][number] & { readonly key: SettingKey };

/** Most look at the table alone. Rendered by the server as well: it waits for it. */
const EditedSetting = lazy(async () => ({ default: (await import('./edited-setting.tsx')).EditedSetting }));

/** Looks at the change of the row that is edited, or saves it. */
export const action = lazyAction(() => import('./submit.ts'));

/** /mc-admin/settings/old: the same registry as one table (behaviour 8.4). */
export default function FlatSettingsScreen(): ReactNode {
  const t = useT('staffSettings');
  const data = useLoaderData<typeof loader>();
  const { state, hrefOf } = useListState(LIST);
  const texts = useSettingTexts(data.currency);
  const edited = new URLSearchParams(useLocation().search).get('edit');
  const known = data.rows.filter((row): row is Row => isSettingKey(row.key));
  const rows = data.q === '' ? known : known.filter(({ key }) => texts.isFound(key, data.q));
  const row = known.find(({ key }) => key === edited);
  const groups = SETTING_GROUPS.map((value) => ({ value, label: texts.group(value) }));
  return (
    <Page>
      <PageHead
        title={t('flatTitle')}
        text={t('flatText')}
        crumbs={useCrumbs()}
        actions={
          <>
            {row && (
              <LinkButton to={historyHref(row.key)} variant="ghost" icon="history">
                {t('history')}
              </LinkButton>
            )}
            <LinkButton to={href('admin.settings')} variant="ghost" icon="sliders">
              {t('byGroup')}
            </LinkButton>
          </>
        }
      />
      {row && <EditedSetting key={row.key} row={row} currency={data.currency} texts={texts} />}
      <Card flush>
        <FilterBar
          spec={LIST}
          state={state}
          hrefOf={hrefOf}
          searchLabel={t('search')}
          filters={[{ name: 'group', label: t('groups'), options: groups }]}
        />
        <DataTable
          caption={t('flatTitle')}
          rows={rows}
          rowKey={({ key }) => key}
          rowName={({ key }) => texts.label(key)}
          columns={useColumns(texts, (key) => withEdit(hrefOf({}), key))}
          state={<EmptyState art="search" title={t('noneFound')} text={t('noneFoundText')} />}
        />
      </Card>
    </Page>
  );
}

const historyHref = (key: string): string => `${href('admin.settings.history')}?key=${key}`;
/** The address of a list with one of its settings open. */
const withEdit = (address: string, key: string): string => `${address}${address.includes('?') ? '&' : '?'}edit=${key}`;

function useColumns(texts: SettingTexts, editHref: (key: SettingKey) => string): readonly Column<Row>[] {
  const t = useT('staffSettings');
  const format = useFormat();
  return [
    {
      key: 'label',
      label: t('columnSetting'),
      title: true,
      wrap: true,
      cell: ({ key }) => (
        <span className="sp-set-name">
          <Link to={editHref(key)}>{texts.label(key)}</Link>
          <code>{key}</code>
        </span>
      ),
    },
    {
      key: 'value',
      label: t('columnValue'),
      wrap: true,
      cell: ({ key, value, is_set: isSet }) => texts.valueText(key, isSecret(key) && isSet ? MASK : value),
    },
    {
      key: 'default',
      label: t('columnDefault'),
      wrap: true,
      hideOnPhone: true,
      cell: ({ key }) => <span className="sp-muted">{texts.valueText(key, rowOf(key).default)}</span>,
    },
    { key: 'group', label: t('groups'), cell: ({ key }) => texts.group(rowOf(key).group) },
    {
      key: 'changed',
      label: t('columnChanged'),
      hideOnPhone: true,
      cell: ({ changed_at: at }) => (at === null ? t('never') : <time dateTime={at}>{format.date(at)}</time>),
    },
  ];
}

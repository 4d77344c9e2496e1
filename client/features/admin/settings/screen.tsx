import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { lazyAction } from '#client/lib/lazy-action.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { isSettingKey } from '#shared/settings.ts';
import { LIST, loadSettings } from './load.ts';
import { GroupCards, GroupNav } from './parts.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSettingTexts } from './texts.ts';

/** The settings of a group, or all of them where the address searches. */
export async function loader(args: LoaderFunctionArgs) {
  return loadSettings(args, 'general');
}

/** Looks at changes, or saves them. */
export const action = lazyAction(() => import('./submit.ts'));

/** /mc-admin/settings (behaviour 8.4) */
export default function SettingsScreen(): ReactNode {
  const t = useT('staffSettings');
  const data = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const { state, hrefOf } = useListState(LIST);
  const texts = useSettingTexts(data.currency);
  const searching = data.q !== '';
  const rows = searching ? data.rows.filter(({ key }) => isSettingKey(key) && texts.isFound(key, data.q)) : data.rows;
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={t('text')}
        crumbs={useCrumbs()}
        actions={
          <>
            {can(permissions, 'admin.root') && (
              <>
                <LinkButton to={href('admin.setup')} variant="ghost" icon="check">
                  {t('guide')}
                </LinkButton>
                <LinkButton to={href('admin.imports')} variant="ghost" icon="upload">
                  {t('comingOver')}
                </LinkButton>
              </>
            )}
            <LinkButton to={href('admin.settings.history')} variant="ghost" icon="history">
              {t('history')}
            </LinkButton>
            <LinkButton to={href('admin.settings.transfer')} variant="ghost" icon="download">
              {t('transfer')}
            </LinkButton>
            <LinkButton to={href('admin.settings.old')} variant="ghost" icon="list">
              {t('flat')}
            </LinkButton>
          </>
        }
      />
      <div className="sp-settings">
        <GroupNav current={searching ? null : data.group} texts={texts} />
        <div className="sp-stack">
          <FilterBar spec={LIST} state={{ ...state, filters: {} }} hrefOf={hrefOf} searchLabel={t('search')} />
          {rows.length === 0 ? (
            <EmptyState art="search" title={t('noneFound')} text={t('noneFoundText')} />
          ) : (
            <SettingsForm key={`${data.group ?? ''} ${data.q}`} data={{ rows, currency: data.currency }} texts={texts}>
              {(changed) => <GroupCards data={{ ...data, rows }} texts={texts} changed={changed} />}
            </SettingsForm>
          )}
        </div>
      </div>
    </Page>
  );
}

import { useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useNavigation, useSubmit } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { listSearch, pageCount, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar } from '#client/ui/filter-bar.tsx';
import type { Filter } from '#client/ui/filter-bar.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PagedTable } from '#client/ui/paged-table.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { BulkBar } from '#client/ui/table-selection.tsx';
import { SOURCE_NAMES } from '#shared/earning-sources.ts';
import { can } from '#shared/can.ts';
import { useColumns } from './columns.tsx';
import { HELD_REWARDS_LIST, toHeldRewardsQuery } from './query.ts';

/** A page of held rewards; the waiting ones unless the address says otherwise. */
export async function loader(args: LoaderFunctionArgs) {
  const { pathname, search } = new URL(args.request.url);
  const state = readList(search, HELD_REWARDS_LIST);
  const listed = await apiOf(args).adminHeldRewards.list({ query: toHeldRewardsQuery(state) });
  const last = pageCount(listed.paging.total, state.size);
  if (state.page > last) throw redirect(pathname + listSearch(state, HELD_REWARDS_LIST, { page: last }));
  return listed;
}

interface DecisionResult {
  readonly decision: 'release' | 'reject';
  readonly done: number;
  readonly refused: number;
}

/** Decides on one reward or several. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<DecisionResult>> {
  const form = await args.request.formData();
  const ids = form.getAll('id').map(String);
  const decision = form.get('decision') === 'release' ? 'release' : 'reject';
  const api = apiOf(args).adminHeldRewards;
  try {
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) {
      await api.decide({ params: { id: only }, body: { decision } });
      return { ok: true, result: { decision, done: 1, refused: 0 }, at: only };
    }
    const { done, refused } = await api.decideMany({ body: { ids, decision } });
    return { ok: true, result: { decision, done, refused }, at: ids.join() };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/held-rewards (behaviour 4.6) */
export default function HeldRewardsScreen(): ReactNode {
  const t = useT('staffHeldRewards');
  const data = useLoaderData<typeof loader>();
  const { session } = useShell();
  const list = useListState(HELD_REWARDS_LIST);
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const may = can(session.permissions, 'admin.rewards.held.edit');
  const decide = async (decision: DecisionResult['decision']): Promise<void> => {
    const count = selected.size;
    const ask = {
      title: t(decision === 'release' ? 'releaseMany' : 'rejectMany', { count }),
      text: t(decision === 'release' ? 'releaseText' : 'rejectText'),
      ok: t(decision),
      ...(decision === 'reject' ? { tone: 'danger' as const } : {}),
    };
    if (!(await dialogs.confirm(ask))) return;
    const form = new FormData();
    form.set('decision', decision);
    for (const id of selected) form.append('id', id);
    setSelected(new Set());
    await submit(form, { method: 'post', preventScrollReset: true });
  };
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      <Outcome />
      <Card flush>
        <Stats>
          <StatTile label={t('openCount')} value={data.open.count} />
          <StatTile label={t('openCredits')} value={<CreditAmount value={data.open.credits} variant="plain" />} />
        </Stats>
        <FilterBar spec={HELD_REWARDS_LIST} {...list} searchLabel={t('search')} filters={useFilters()} />
        <PagedTable
          list={list}
          paging={data.paging}
          caption={t('title')}
          columns={useColumns(may)}
          rows={data.rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.username}
          {...(may ? { selection: { selected, change: setSelected } } : {})}
          empty={<EmptyState as="h2" title={t('empty')} text={t('emptyText')} />}
          noMatch={<EmptyState as="h2" art="search" title={t('noMatch')} text={t('noMatchText')} />}
          busy={busy}
        />
      </Card>
      {may && (
        <BulkBar selection={{ selected, change: setSelected }}>
          <Button size="sm" variant="ghost" icon="check" onClick={() => void decide('release')}>
            {t('release')}
          </Button>
          <Button size="sm" variant="danger-quiet" icon="x" onClick={() => void decide('reject')}>
            {t('reject')}
          </Button>
        </BulkBar>
      )}
    </Page>
  );
}

/** The outcome of the last decision. */
function Outcome(): ReactNode {
  const t = useT('staffHeldRewards');
  const text = useErrorText();
  const answer = useActionData() as FormResult<DecisionResult> | undefined;
  if (!answer) return null;
  if (!answer.ok) {
    return (
      <Banner tone="danger" live>
        {text.code(answer.code)}
      </Banner>
    );
  }
  const { decision, done, refused } = answer.result;
  return (
    <Banner tone={refused > 0 ? 'warning' : 'positive'} live>
      {t(decision === 'release' ? 'released' : 'rejected', { count: done })}
      {refused > 0 && ` ${t('refused', { count: refused })}`}
    </Banner>
  );
}

function useFilters(): readonly Filter[] {
  const t = useT('staffHeldRewards');
  const sources = useT('sources');
  return [
    {
      name: 'state',
      label: t('state.open'),
      options: [
        { value: 'released', label: t('state.released') },
        { value: 'rejected', label: t('state.rejected') },
        { value: 'all', label: t('allStates') },
      ],
    },
    {
      name: 'source',
      label: t('allSources'),
      options: SOURCE_NAMES.map((value) => ({ value, label: sources(`${value}.reward`) })),
    },
    {
      name: 'note',
      label: t('anyNote'),
      options: [
        { value: 'true', label: t('withNote') },
        { value: 'false', label: t('withoutNote') },
      ],
    },
  ];
}

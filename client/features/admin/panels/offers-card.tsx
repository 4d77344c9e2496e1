import { useState } from 'react';
import type { ReactNode } from 'react';
import { useNavigation, useSubmit } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { isFiltered, pageCount } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { Status } from '#client/ui/status.tsx';
import { BulkBar } from '#client/ui/table-selection.tsx';
import { can } from '#shared/can.ts';
import type { OfferView } from '#shared/contract/panels.ts';
import { OFFER_KINDS } from '#shared/panel-codes.ts';
import { href } from '#shared/routes/staff-href.ts';
import { OfferDetails } from './offer.tsx';
import { CATALOGUE_LIST, filterOffers, offerKey } from './query.ts';
import type { CatalogueData } from './sync.tsx';

const SHAPES = { fresh: 'queued', changed: 'paused', vanished: 'failed', current: 'active' } as const;

/** What the panel offers, to be imported one by one or in bulk. */
export function OffersCard({ data }: { data: CatalogueData }): ReactNode {
  const t = useT('panels');
  const { state, sizes, hrefOf } = useListState(CATALOGUE_LIST);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const busy = useNavigation().state === 'submitting';
  const submit = useSubmit();
  const found = filterOffers(data.offers, state);
  const page = Math.min(state.page, pageCount(found.length, state.size));
  const rows = found.slice((page - 1) * state.size, page * state.size);
  const selectedOffers = data.offers.filter((offer) => selected.has(offerKey(offer)));
  const importable = selectedOffers.filter((offer) => offer.state === 'fresh' || offer.state === 'changed');
  const vanished = selectedOffers.filter((offer) => offer.state === 'vanished');
  const send = async (intent: 'import' | 'turnOff', offers: readonly OfferView[]): Promise<void> => {
    const count = offers.length;
    const ask =
      intent === 'import'
        ? {
            title: t('importMany', { count }),
            text: t(offers.some(({ changes }) => changes.some(({ own }) => own)) ? 'importOwnText' : 'importText'),
            ok: t('import'),
          }
        : { title: t('turnOffMany', { count }), text: t('turnOffText'), ok: t('turnOff'), tone: 'danger' as const };
    if (!(await dialogs.confirm(ask))) return;
    const form = new FormData();
    form.set('_intent', intent);
    for (const offer of offers) form.append('offer', offerKey(offer));
    setSelected(new Set());
    await submit(form, { method: 'post', preventScrollReset: true });
  };
  return (
    <Card flush title={t('offers')} text={t('offersText')}>
      <FilterBar
        spec={CATALOGUE_LIST}
        state={state}
        hrefOf={hrefOf}
        searchLabel={t('search')}
        filters={useFilters(data)}
      />
      <DataTable
        caption={t('offers')}
        columns={useColumns()}
        rows={rows}
        rowKey={offerKey}
        rowName={(offer) => offer.name}
        sort={state.sort}
        sortHref={(sort) => hrefOf({ sort })}
        selection={{ selected, change: setSelected }}
        state={
          isFiltered(state) ? (
            <EmptyState as="h3" art="search" title={t('noMatch')} text={t('noMatchText')} />
          ) : (
            <EmptyState
              as="h3"
              art="check"
              title={t('nothingNew')}
              text={t(data.panel.synced ? 'nothingNewText' : 'neverSynced')}
            />
          )
        }
        busy={busy}
      />
      {found.length > state.size && (
        <Pager
          page={page}
          size={state.size}
          total={found.length}
          hrefOf={(each) => hrefOf({ page: each })}
          sizes={sizes}
          hrefOfSize={(size) => hrefOf({ size })}
        />
      )}
      <BulkBar selection={{ selected, change: setSelected }}>
        {importable.length > 0 && (
          <Button size="sm" variant="ghost" icon="download" onClick={() => void send('import', importable)}>
            {t('importCount', { count: importable.length })}
          </Button>
        )}
        {vanished.length > 0 && (
          <Button size="sm" variant="danger-quiet" icon="power" onClick={() => void send('turnOff', vanished)}>
            {t('turnOffCount', { count: vanished.length })}
          </Button>
        )}
      </BulkBar>
    </Card>
  );
}

function useFilters({ nests }: CatalogueData): readonly Filter[] {
  const t = useT('panels');
  const states = (['fresh', 'changed', 'vanished', 'current'] as const).map((value) => ({
    value,
    label: t(`offer.${value}`),
  }));
  return [
    { name: 'state', label: t('newsOnly'), options: [...states, { value: 'all', label: t('everything') }] },
    {
      name: 'kind',
      label: t('anyKind'),
      options: OFFER_KINDS.map((value) => ({ value, label: t(`offerKind.${value}`) })),
    },
    ...(nests.length > 1
      ? [
          {
            name: 'nest',
            label: t('anyNest'),
            options: nests.filter(({ ref }) => ref !== '').map(({ ref, name }) => ({ value: ref, label: name })),
          },
        ]
      : []),
  ];
}

function useColumns(): readonly Column<OfferView>[] {
  const t = useT('panels');
  return [
    {
      key: 'name',
      label: t('name'),
      title: true,
      sort: 'asc',
      name: (offer) => offer.name,
      cell: (offer) => <OfferDetails offer={offer} />,
    },
    { key: 'kind', label: t('offerKindLabel'), cell: (offer) => t(`offerKind.${offer.kind}`) },
    {
      key: 'nest',
      label: t('nest'),
      hideOnPhone: true,
      cell: (offer) => (offer.nest ? offer.nest.name : <span className="sp-muted">–</span>),
    },
    {
      key: 'state',
      label: t('stateLabel'),
      cell: (offer) => <Status shape={SHAPES[offer.state]}>{t(`offer.${offer.state}`)}</Status>,
    },
    { key: 'ours', label: t('ours'), cell: (offer) => <ImportedAs offer={offer} /> },
  ];
}

/** What an offer was imported as. */
function ImportedAs({ offer: { kind, ours } }: { offer: OfferView }): ReactNode {
  const t = useT('panels');
  const { permissions } = useShell().session;
  if (!ours) return <span className="sp-muted">–</span>;
  const may = can(permissions, kind === 'egg' ? 'admin.egg.edit' : 'admin.locations.edit');
  const to = href(kind === 'egg' ? 'admin.eggs.edit' : 'admin.locations.edit', { id: ours.id });
  return (
    <>
      {may ? <TextLink to={to}>{ours.name}</TextLink> : ours.name}
      {!ours.on && <span className="sp-muted"> {t('isOff')}</span>}
    </>
  );
}

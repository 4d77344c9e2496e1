import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData, useLocation, useRevalidator } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import type { PanelView } from '#shared/contract/panels.ts';
import { OFFER_KINDS } from '#shared/panel-codes.ts';
import { href } from '#shared/routes/staff-href.ts';
import { NestsCard } from './nests-card.tsx';
import { NodesCard } from './nodes-card.tsx';
import { OffersCard } from './offers-card.tsx';
import { countStates } from './query.ts';
import { useFaultText, useTimeText } from './texts.ts';

/** What a panel offers, as last read. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPanels.catalogue({ params: { id: args.params.id ?? '' } });
}
export type CatalogueData = Awaited<ReturnType<typeof loader>>;

interface CommandResult {
  readonly what: 'import' | 'turnOff';
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
}

/** Requests a sync, imports what was chosen, or turns off what vanished; distinguished by `_intent`. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<CommandResult> | Response> {
  const form = await args.request.formData();
  const params = { id: args.params.id ?? '' };
  const api = apiOf(args).adminPanels;
  const offers = form.getAll('offer').flatMap((text) => {
    const [, name, ref] = /^(\w+):(.+)$/s.exec(String(text)) ?? [];
    const kind = OFFER_KINDS.find((each) => each === name);
    return kind && ref !== undefined ? [{ kind, ref }] : [];
  });
  try {
    if (form.get('_intent') === 'sync') {
      await api.sync({ params });
      return redirect(href('admin.panels.sync', params));
    }
    if (form.get('_intent') === 'turnOff') {
      const { done } = await api.turnOff({ params, body: { offers } });
      return {
        ok: true,
        result: { what: 'turnOff', created: 0, updated: done, skipped: 0 },
        at: String(form.getAll('offer')),
      };
    }
    const nests = form.getAll('nest').map(String);
    const result = await api.take({ params, body: { offers, nests } });
    return { ok: true, result: { what: 'import', ...result }, at: `${String(form.getAll('offer'))} ${String(nests)}` };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** How often the page polls during a sync, ms. */
const POLL_MS = 1500;

/** The document's title begins with it. */
export const pageName = ({ panel }: CatalogueData): string => panel.name;

/** /mc-admin/panels/:id/sync (behaviour 6.7) */
export default function PanelSyncScreen(): ReactNode {
  const t = useT('panels');
  const data = useLoaderData<typeof loader>();
  const { panel } = data;
  const { revalidate } = useRevalidator();
  const { key } = useLocation();
  // A command clears the selection; requesting a sync keeps it, and what is open.
  const offersKey = useActionAnswer() === undefined ? 'none' : key;
  useEffect(() => {
    if (!panel.syncing) return;
    const timer = setInterval(() => void revalidate(), POLL_MS);
    return () => clearInterval(timer);
  }, [panel.syncing, revalidate]);
  return (
    <Page>
      <PageHead
        title={t('catalogueOf', { name: panel.name })}
        text={t('catalogueText')}
        crumbs={useCrumbs({ 'admin.panels.edit': panel.name, 'admin.panels.sync': t('catalogue') })}
        actions={<Actions panel={panel} />}
      />
      <Outcome />
      <LastSync panel={panel} />
      <Counts data={data} />
      <OffersCard key={offersKey} data={data} />
      {data.nests.length > 0 && <NestsCard nests={data.nests} />}
      {data.nodes.length > 0 && <NodesCard nodes={data.nodes} />}
    </Page>
  );
}

function Actions({ panel }: { panel: PanelView }): ReactNode {
  const t = useT('panels');
  return (
    <>
      <LinkButton to={href('admin.panels.edit', { id: panel.id })} icon="pencil">
        {t('edit')}
      </LinkButton>
      {panel.enabled && (
        <Form noSummary preventScrollReset>
          <input type="hidden" name="_intent" value="sync" />
          <Button type="submit" variant="primary" icon="refresh" busy={panel.syncing}>
            {t('syncNow')}
          </Button>
        </Form>
      )}
    </>
  );
}

function Counts({ data }: { data: CatalogueData }): ReactNode {
  const t = useT('panels');
  const format = useFormat();
  const counts = countStates(data.offers);
  return (
    <Card flush>
      <Stats>
        {(['fresh', 'changed', 'vanished', 'current'] as const).map((state) => (
          <StatTile key={state} label={t(`offer.${state}`)} value={format.number(counts[state])} />
        ))}
      </Stats>
    </Card>
  );
}

/** The outcome of the last sync; a failed one changed nothing. */
function LastSync({ panel }: { panel: PanelView }): ReactNode {
  const t = useT('panels');
  const moment = useTimeText();
  const fault = useFaultText();
  const { synced, syncing, enabled } = panel;
  if (syncing) return <Banner live>{t('syncingText')}</Banner>;
  if (!enabled) return <Banner tone="warning">{t('disabledText')}</Banner>;
  if (!synced) return <Banner>{t('neverSynced')}</Banner>;
  const when = moment(synced.at);
  const why = synced.fault ? fault(synced.fault) : '';
  if (synced.state === 'failed')
    return <Banner tone="danger">{t('syncFailed', { when, part: t(`part.${synced.part ?? 'nodes'}`), why })}</Banner>;
  if (synced.state === 'partial')
    return <Banner tone="warning">{t('syncedPartly', { when, nodes: synced.nodes_failed.join(', '), why })}</Banner>;
  return <p className="sp-muted sp-small">{t('syncedAt', { when })}</p>;
}

function Outcome(): ReactNode {
  const t = useT('panels');
  const text = useErrorText();
  const answer = useActionAnswer<FormResult<CommandResult>>();
  if (!answer) return null;
  if (!answer.ok) {
    return (
      <Banner tone="danger" live>
        {text.code(answer.code)}
      </Banner>
    );
  }
  const { what, created, updated, skipped } = answer.result;
  return (
    <Banner tone="positive" live>
      {what === 'turnOff'
        ? t('turnedOff', { count: updated })
        : [
            t('importedNew', { count: created }),
            t('importedChanged', { count: updated }),
            ...(skipped > 0 ? [t('importSkipped', { count: skipped })] : []),
          ].join(' ')}
    </Banner>
  );
}

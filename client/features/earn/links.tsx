import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { withAdCheck } from '#client/lib/with-ad-check.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { goToExternalUrl } from '#client/lib/external-url.ts';
import { useLive } from '#client/lib/live.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge, type Tone } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { linkStartInput } from '#shared/schemas/links.ts';
import { SponsorCard } from './sponsor-card.tsx';

/** The available links, and the history of earlier ones. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).links.page();
}
export type LinksData = Awaited<ReturnType<typeof loader>>;

/** Starts a link, or continues the open one. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, linkStartInput, async (body, key) => {
    const api = apiOf(args);
    const { url } = await withAdCheck(api, () => api.links.start({ body }, key ? { key } : {}));
    return { url, provider: body.provider };
  });
}
export type LinksAnswer = FormResult<{ url: string; provider: string }> | undefined;

const BOLD = { b: (words: ReactNode) => <b>{words}</b> };

/** /earn/links (behaviour 4.5). */
export default function LinksScreen(): ReactNode {
  const t = useT('links');
  const format = useFormat();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<LinksAnswer>();
  useLive(['balance']);
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} />
      <Banner tone="warning">
        <Rich t={t} k="warning" tags={BOLD} />
      </Banner>
      {data.budget_spent && (
        <Banner tone="info">
          <Rich t={t} k="budget" vars={{ time: format.time(data.resets_at) }} tags={BOLD} />
        </Banner>
      )}
      {answer?.ok && <SponsorRedirect url={answer.result.url} />}
      {data.providers.length === 0 ? (
        <Card>
          <EmptyState art="link" title={t('none')} text={t('noneText')} as="h2" />
        </Card>
      ) : (
        <ul className="sp-sponsors" aria-label={t('offers')}>
          {data.providers.map((offer) => (
            <li key={offer.id}>
              <SponsorCard
                offer={offer}
                blocked={data.budget_spent}
                answer={isAbout(answer, offer.id) ? answer : undefined}
              />
            </li>
          ))}
        </ul>
      )}
      {data.cap > 0 && (
        <Card>
          <ResourceMeter label={t('cap')} used={data.earned_today} total={data.cap} format={format.number} />
        </Card>
      )}
      <HistoryCard history={data.history} />
    </Page>
  );
}

function isAbout(answer: LinksAnswer, id: string): boolean {
  return answer !== undefined && !answer.ok && answer.values.provider === id;
}

/** Goes to the sponsor: at once with scripts, by a link without. */
function SponsorRedirect({ url }: { url: string }): ReactNode {
  const t = useT('links');
  // An effect, because leaving the page is not React's to do.
  useEffect(() => goToExternalUrl(url), [url]);
  const link = (words: ReactNode) => (
    <TextLink to={url} rel="noreferrer">
      {words}
    </TextLink>
  );
  return (
    <Banner tone="positive" live>
      <Rich t={t} k="ready" tags={{ ...BOLD, link }} />
    </Banner>
  );
}

const TONES: Readonly<Record<LinksData['history'][number]['state'], Tone>> = {
  open: 'info',
  paid: 'positive',
  held: 'warning',
  expired: 'neutral',
  rejected: 'danger',
};

function HistoryCard({ history }: { history: LinksData['history'] }): ReactNode {
  const t = useT('links');
  const format = useFormat();
  const now = useNow();
  if (history.length === 0) {
    return (
      <Card title={t('historyTitle')}>
        <EmptyState art="link" title={t('historyEmpty')} text={t('historyEmptyText')} />
      </Card>
    );
  }
  return (
    <Card title={t('historyTitle')} flush>
      <List label={t('historyTitle')}>
        {history.map(({ id, name, at, state, credits }) => (
          <ListItem
            key={id}
            title={
              <>
                {name} <Badge tone={TONES[state]}>{t(`stateName.${state}`)}</Badge>
              </>
            }
            text={<time dateTime={at}>{format.when(at, now)}</time>}
            {...(state === 'paid' ? { end: <CreditAmount value={credits} variant="signed" /> } : {})}
          />
        ))}
      </List>
    </Card>
  );
}

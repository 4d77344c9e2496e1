import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { href } from '#shared/routes/href.ts';
import { id } from '#shared/schemas/primitives.ts';
import { ServerCard } from './server-card.tsx';

/** The Discord servers that pay, with the visitor's state for each. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).j4r.page();
}
export type J4rData = Awaited<ReturnType<typeof loader>>;

const claimInput = z.strictObject({ id });

/** Claims a reward: the server asks Discord whether the visitor joined. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, claimInput, async (body, key) => {
    const { state, credits } = await apiOf(args).j4r.claim({ params: body }, key ? { key } : {});
    return { id: body.id, state, credits };
  });
}
export type J4rAnswer = FormResult<{ id: string; state: 'paid' | 'held'; credits: number }>;

/** /earn/j4r (behaviour 4.3). */
export default function J4rScreen(): ReactNode {
  const t = useT('j4r');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<J4rAnswer>();
  useLive(['balance', 'notifications']);
  const text = data.vesting_days > 0 ? t('text', { count: data.vesting_days }) : t('textAtOnce');
  return (
    <Page>
      <PageHead title={t('title')} text={text} />
      {answer?.ok && <Paid {...answer.result} data={data} />}
      {data.budget_spent && <Banner tone="warning">{t('budgetSpent')}</Banner>}
      <Servers data={data} answer={answer} />
    </Page>
  );
}

const BOLD = { b: (words: ReactNode) => <b>{words}</b> };

function Paid({
  id: serverId,
  state,
  credits,
  data,
}: {
  id: string;
  state: 'paid' | 'held';
  credits: number;
  data: J4rData;
}): ReactNode {
  const t = useT('j4r');
  const server = data.servers.find((each) => each.id === serverId);
  const vars = { amount: <CreditAmount value={credits} />, server: server?.name ?? '' };
  return (
    <Banner tone={state === 'held' ? 'info' : 'positive'} live>
      <Rich t={t} k={state === 'held' ? 'wasHeld' : 'wasPaid'} tags={BOLD} vars={vars} />
    </Banner>
  );
}

function Servers({ data, answer }: { data: J4rData; answer: J4rAnswer | undefined }): ReactNode {
  const t = useT('j4r');
  const format = useFormat();
  if (!data.available || data.servers.length === 0) {
    return (
      <Card>
        <EmptyState art="users" title={t('empty')} text={t('emptyText')} as="h2" />
      </Card>
    );
  }
  return (
    <>
      <LinkNote linked={data.linked} />
      {data.cap > 0 && (
        <Card>
          <ResourceMeter label={t('cap')} used={data.earned_today} total={data.cap} format={format.number} />
        </Card>
      )}
      <ul className="sp-goods" aria-label={t('servers')}>
        {data.servers.map((server) => (
          <li key={server.id}>
            <ServerCard
              server={server}
              linked={data.linked !== null && !data.linked.relink}
              answer={isAbout(answer, server.id) ? answer : undefined}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether a refusal belongs to this server's form. */
function isAbout(answer: J4rAnswer | undefined, serverId: string): boolean {
  return answer !== undefined && !answer.ok && answer.values.id === serverId;
}

/** The linked Discord account, or that none is linked yet. */
function LinkNote({ linked }: { linked: J4rData['linked'] }): ReactNode {
  const t = useT('j4r');
  const to = `${href('account')}?tab=linked`;
  if (linked && !linked.relink) {
    return (
      <Banner tone="info" icon="link" action={<TextLink to={to}>{t('manage')}</TextLink>}>
        <Rich t={t} k="linkedAs" tags={BOLD} vars={{ name: linked.name }} />
      </Banner>
    );
  }
  return (
    <Banner tone="warning" action={<TextLink to={to}>{t(linked ? 'relink' : 'link')}</TextLink>}>
      {linked ? t('relinkText', { name: linked.name }) : t('linkText')}
    </Banner>
  );
}

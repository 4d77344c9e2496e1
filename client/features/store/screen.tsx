import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import type { ResourceKind } from '#shared/constants.ts';
import { href } from '#shared/routes/href.ts';
import { id, wholeNumber } from '#shared/schemas/primitives.ts';
import { amountText } from './amounts.ts';
import { ItemCard } from './item-card.tsx';
import { PurchasesCard } from './purchases-card.tsx';

/** The items on sale, and the visitor's purchases. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).store.items();
}
export type StoreData = Awaited<ReturnType<typeof loader>>;
export type StoreItem = StoreData['items'][number];

const buyInput = z.strictObject({ item_id: id, units: wholeNumber(1, 1000), price: wholeNumber(0, 1_000_000_000) });

/** Buys units of one item, at the price that was shown. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, buyInput, async (body, key) => {
    const { kind, limit } = await apiOf(args).store.buy({ body }, key ? { key } : {});
    return { kind, limit };
  });
}
export type StoreAnswer = FormResult<{ kind: ResourceKind; limit: number }>;

/** /store */
export default function StoreScreen(): ReactNode {
  const t = useT('store');
  const data = useLoaderData<typeof loader>();
  // A list of what was bought is part of the statement.
  const { viewing } = useShell().session;
  const answer = useActionAnswer<StoreAnswer>();
  useLive(['balance']);
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} />
      {answer?.ok && <PurchasedBanner kind={answer.result.kind} limit={answer.result.limit} />}
      <div className="sp-split">
        {data.items.length === 0 ? (
          <Card>
            <EmptyState art="store" title={t('empty')} text={t('emptyText')} as="h2" />
          </Card>
        ) : (
          <ul className="sp-goods" aria-label={t('items')}>
            {data.items.map((item) => (
              <li key={item.id}>
                <ItemCard item={item} balance={data.balance} answer={isAbout(answer, item.id) ? answer : undefined} />
              </li>
            ))}
          </ul>
        )}
        {viewing === undefined && <PurchasesCard purchases={data.purchases} />}
      </div>
    </Page>
  );
}

/** Whether a refusal belongs to this item's form. */
function isAbout(answer: StoreAnswer | undefined, itemId: string): boolean {
  return answer !== undefined && !answer.ok && answer.values.item_id === itemId;
}

function PurchasedBanner({ kind, limit }: { kind: ResourceKind; limit: number }): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const { flags } = useShell();
  return (
    <Banner
      tone="positive"
      live
      action={flags.allow_servers && <TextLink to={href('server.create')}>{t('boughtNext')}</TextLink>}
    >
      {t('bought', { kind: t(`kind.${kind}`), limit: amountText(kind, limit, format) })}
    </Banner>
  );
}

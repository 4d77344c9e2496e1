import { useState } from 'react';
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
import { useShell } from '#client/lib/shell-context.ts';
import { Avatar } from '#client/ui/avatar.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NameBadge } from '#client/ui/name-badge.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { GIFT_NOTE_MAX } from '#shared/gift.ts';
import { href } from '#shared/routes/href.ts';
import { line, wholeNumber } from '#shared/schemas/primitives.ts';
import { GiftForm } from './gift-form.tsx';

/** The recipient, and the rules of gifts. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).gifts.form({ params: { id: String(args.params.id) } });
}
export type GiftData = Awaited<ReturnType<typeof loader>>;

const input = z.strictObject({
  amount: wholeNumber(1, 1_000_000_000),
  note: z.optional(line(0, GIFT_NOTE_MAX)),
  /** The total that was shown; without it (no scripts, first step) the total is shown and nothing sent. */
  total: z.optional(wholeNumber(1, 2_000_000_000)),
});

/** The outcome of the form: a gift, or the amount to be confirmed. */
export type GiftAnswer = FormResult<
  { sent: { amount: number; total: number; balance: number } } | { asked: { amount: number; note: string } }
>;

/** Sends the gift at the total that was shown; shows the total where none was. */
export async function action(args: ActionFunctionArgs) {
  const recipient = String(args.params.id);
  return submitForm(args.request, input, async ({ amount, note = '', total }, key) => {
    if (total === undefined) return { asked: { amount, note } };
    const sent = await apiOf(args).gifts.send({ body: { recipient, amount, total, note } }, key ? { key } : {});
    return { sent: { amount: sent.amount, total: sent.total, balance: sent.balance } };
  });
}

/** The document's title begins with it. */
export const pageName = ({ recipient }: GiftData): string => recipient.username;

/** /profile/:uuid/gift-coins (behaviour 5.4) */
export default function GiftScreen(): ReactNode {
  const t = useT('community');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<GiftAnswer>();
  const format = useFormat();
  useLive(['balance']);
  const [submitted, setSubmitted] = useState<{ count: number; after: unknown }>({ count: 0, after: undefined });
  // A sent gift resets the form.
  if (answer?.ok && 'sent' in answer.result && answer !== submitted.after)
    setSubmitted({ count: submitted.count + 1, after: answer });
  return (
    <Page narrow>
      <PageHead
        title={t('giftTitle')}
        picture={<Avatar name={data.recipient.username} size="lg" />}
        badge={<NameBadge badge={data.recipient.badge} />}
        text={<Rich t={t} k="giftFor" tags={BOLD} vars={{ name: data.recipient.username }} />}
      />
      {answer?.ok && 'sent' in answer.result && <Sent name={data.recipient.username} {...answer.result.sent} />}
      {data.open ? (
        <GiftForm key={submitted.count} data={data} answer={answer} />
      ) : (
        <Card>
          <Banner tone="warning">{t('giftTooNew', { date: format.dateTime(data.opens_at) })}</Banner>
        </Card>
      )}
      <Back id={data.recipient.id} />
    </Page>
  );
}

const BOLD = { b: (words: ReactNode) => <b>{words}</b> };

function Back({ id }: { id: string }): ReactNode {
  const t = useT('community');
  const { flags } = useShell();
  if (!flags.allow_public_profiles) return null;
  return (
    <div className="sp-btn-row">
      <LinkButton variant="ghost" icon="arrow-left" to={href('profile', { id: id })}>
        {t('backToProfile')}
      </LinkButton>
    </div>
  );
}

function Sent({
  name,
  amount,
  total,
  balance,
}: {
  name: string;
  amount: number;
  total: number;
  balance: number;
}): ReactNode {
  const t = useT('community');
  const vars = {
    name,
    amount: <CreditAmount value={amount} />,
    total: <CreditAmount value={total} />,
    balance: <CreditAmount value={balance} />,
  };
  return (
    <Banner tone="positive" live>
      <Rich t={t} k="giftSent" tags={BOLD} vars={vars} />
    </Banner>
  );
}

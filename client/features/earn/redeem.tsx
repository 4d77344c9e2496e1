import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormFailure, FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { redeemInput } from '#shared/schemas/earn.ts';

/** The codes redeemed so far, and how many failed attempts are left. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).redeem.history();
}
type Data = Awaited<ReturnType<typeof loader>>;

/** Redeems a code. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, redeemInput, async (body, key) => {
    const { credits, balance, state } = await apiOf(args).redeem.redeem({ body }, key ? { key } : {});
    return { credits, balance, state, code: body.code };
  });
}
type Result = { credits: number; balance: number; state: 'paid' | 'held'; code: string };
type Answer = FormResult<Result> | undefined;

/** /earn/redeem (behaviour 4.2). */
export default function RedeemScreen(): ReactNode {
  const t = useT('earn');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  useLive(['balance']);
  return (
    <Page>
      <PageHead title={t('redeemTitle')} text={t('redeemText')} />
      {data.budget_spent && (
        <Banner tone="warning">
          <Rich t={t} k="redeemBudget" tags={BOLD} />
        </Banner>
      )}
      <div className="sp-halves">
        <div className="sp-stack">
          <CodeCard data={data} answer={answer} />
          {answer?.ok && <Redeemed {...answer.result} />}
        </div>
        <HistoryCard history={data.history} />
      </div>
    </Page>
  );
}

const BOLD = { b: (words: ReactNode) => <b>{words}</b> };
const HELD = { ...BOLD, link: (words: ReactNode) => <TextLink to={`${href('account')}?tab=held`}>{words}</TextLink> };

function Redeemed(props: Result): ReactNode {
  const t = useT('earn');
  const vars = {
    amount: <CreditAmount value={props.credits} />,
    code: <code className="sp-redeem__code">{props.code}</code>,
    balance: <CreditAmount value={props.balance} />,
  };
  return (
    <Banner tone={props.state === 'held' ? 'info' : 'positive'} live>
      <Rich
        t={t}
        k={props.state === 'held' ? 'redeemedHeld' : 'redeemed'}
        tags={props.state === 'held' ? HELD : BOLD}
        vars={vars}
      />
    </Banner>
  );
}

/** The field for a code, with the error of the last one. */
function CodeCard({ data, answer }: { data: Data; answer: Answer }): ReactNode {
  const t = useT('earn');
  const format = useFormat();
  const input = useRef<HTMLInputElement>(null);
  const refusal = useRefusal(answer?.ok === false ? answer : null);
  const done = answer?.ok === true ? answer : null;
  // A redeemed code empties the field.
  useEffect(() => {
    if (!done || !input.current) return;
    input.current.value = '';
    input.current.focus();
  }, [done]);
  const tries = data.tries_left > 0 ? t('triesLeft', { count: data.tries_left }) : t('triesNone');
  return (
    <Card>
      <Form noSummary noValidate values={answer?.ok === false ? answer.values : {}}>
        <FormKey />
        <Field
          label={t('code')}
          name="code"
          required
          error={refusal}
          aside={<span className="sp-field__count">{tries}</span>}
        >
          <div className="sp-redeem__row">
            <TextInput
              ref={input}
              size="lg"
              mono
              autoComplete="off"
              autoCapitalize="characters"
              autoCorrect="off"
              spellCheck={false}
              maxLength={64}
              enterKeyHint="done"
            />
            <Button type="submit" variant="primary" size="lg">
              {t('redeem')}
            </Button>
          </div>
        </Field>
        {data.cap > 0 && (
          <ResourceMeter label={t('redeemCap')} used={data.earned_today} total={data.cap} format={format.number} />
        )}
      </Form>
    </Card>
  );
}

/** The text of a refusal, for the code's field. */
function useRefusal(failure: FormFailure | null): string | undefined {
  const t = useT('earn');
  const format = useFormat();
  const text = useErrorText();
  if (!failure) return undefined;
  const own = failure.fields.code?.[0];
  if (own) return text.field(own);
  if (failure.code === 'RATE_LIMITED' && failure.retryAfterS !== null)
    return t('tooManyTries', { time: format.duration(failure.retryAfterS * 1000) });
  return text.code(failure.code);
}

function HistoryCard({ history }: { history: Data['history'] }): ReactNode {
  const t = useT('earn');
  const format = useFormat();
  const now = useNow();
  if (history.length === 0) {
    return (
      <Card title={t('historyTitle')}>
        <EmptyState art="ticket" title={t('historyEmpty')} text={t('historyEmptyText')} />
      </Card>
    );
  }
  return (
    <Card title={t('historyTitle')} count={format.number(history.length)} flush>
      <List label={t('historyTitle')}>
        {history.map((use) => (
          <ListItem
            key={use.id}
            title={<span className="sp-mono">{use.code}</span>}
            text={format.when(use.at, now)}
            end={<CreditAmount value={use.credits} variant="signed" />}
          />
        ))}
      </List>
    </Card>
  );
}

import type { ReactNode } from 'react';
import { useActionData, type ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { href } from '#shared/routes/staff-href.ts';
import type { loader } from './list.tsx';
import { useFailureText } from './failure.ts';

type Problem = Awaited<ReturnType<typeof loader>>['problems'][number];

/** Retries a problem: a gateway's event, or the check of an order. */
export async function retryProblem(args: ActionFunctionArgs): Promise<FormResult<null>> {
  const form = await args.request.formData();
  const api = apiOf(args).adminPayments;
  const id = String(form.get('id') ?? '');
  try {
    if (form.get('_intent') === 'event') await api.retryEvent({ params: { id } });
    else await api.check({ params: { id } });
    return { ok: true, result: null, at: id };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/**
 * Payments that need attention, each with its problem; nothing if there are none. `may`: the visitor manages payments;
 * `opens`: may open one.
 */
export function Problems({
  problems,
  may,
  opens,
}: {
  problems: readonly Problem[];
  may: boolean;
  opens: boolean;
}): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const reason = useFailureText();
  const now = useNow(60_000);
  if (problems.length === 0) return null;
  return (
    <Card title={t('problems')} text={t('problemsText')} flush>
      <List label={t('problems')}>
        {problems.map((each) => {
          const name = each.order === null ? t('noOrderKnown') : (each.label ?? t('customAmount'));
          return (
            <ListItem
              key={`${each.kind}:${each.id}`}
              icon="alert"
              tone="warning"
              title={
                each.order === null || !opens ? (
                  name
                ) : (
                  <TextLink to={href('admin.payments.view', { id: each.order })}>{name}</TextLink>
                )
              }
              text={
                <>
                  {reason(each.reason)} · {t(`provider.${each.provider}`)} ·{' '}
                  <time dateTime={each.at}>{format.when(each.at, now)}</time>
                  {each.type !== null && (
                    <>
                      {' '}
                      · <code>{each.type}</code>
                    </>
                  )}
                </>
              }
              end={may ? <ProblemAction problem={each} name={name} /> : undefined}
            />
          );
        })}
      </List>
    </Card>
  );
}

/** What staff can do: open the payment of an unknown order, or retry. */
function ProblemAction({ problem, name }: { problem: Problem; name: string }): ReactNode {
  const t = useT('payments');
  if (problem.reason !== 'UNKNOWN_ORDER') return <TryAgain problem={problem} name={name} />;
  return (
    <LinkButton
      to={href('admin.payments.unknown', { id: problem.id })}
      size="sm"
      variant="primary"
      aria-label={t('reviewWith', { name })}
    >
      {t('review')}
    </LinkButton>
  );
}

function TryAgain({ problem, name }: { problem: Problem; name: string }): ReactNode {
  const t = useT('payments');
  return (
    <Form>
      <input type="hidden" name="_intent" value={problem.kind} />
      <input type="hidden" name="id" value={problem.id} />
      <Button type="submit" size="sm" aria-label={t('tryAgainWith', { name })}>
        {t('tryAgain')}
      </Button>
    </Form>
  );
}

/** The outcome of a retry. */
export function RetryResult(): ReactNode {
  const t = useT('payments');
  const errors = useErrorText();
  const answer = useActionData() as FormResult<null> | undefined;
  if (!answer) return null;
  return (
    <Banner tone={answer.ok ? 'positive' : 'danger'} live>
      {answer.ok ? t('triedAgain') : errors.code(answer.code)}
    </Banner>
  );
}

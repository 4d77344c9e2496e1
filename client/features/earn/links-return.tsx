import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useActionData, useLoaderData, useNavigation, useSubmit } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormFailure, FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import type { ErrorCode } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { linkReturnInput } from '#shared/schemas/links.ts';
import { SECOND } from '#shared/time.ts';

/** Parameters in which providers add their proof to our address. */
const PROOFS = ['hash', 'token'] as const;

/** The parameters of the sponsor's redirect. The form sends them: a GET changes nothing. */
export function loader({ request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const proof = PROOFS.map((name) => query.get(name)).find((value) => value !== null && value !== '') ?? '';
  return { claim: query.get('claim')?.slice(0, 200) ?? '', proof: proof.slice(0, 500) };
}

/** Completes the link: the server verifies it with the sponsor and pays. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, linkReturnInput, (body, key) =>
    apiOf(args).links.finish({ body }, key ? { key } : {}),
  );
}
type Answer = FormResult<{ credits: number; state: 'paid' | 'held'; balance: number }> | undefined;

/** /earn/links/return: the target of sponsors' redirects (behaviour 4.5). */
export default function LinksReturnScreen(): ReactNode {
  const t = useT('links');
  const { claim } = useLoaderData<typeof loader>();
  const answer = useActionData() as Answer;
  return (
    <Page narrow>
      <PageHead title={t('returnTitle')} {...(claim === '' || answer ? {} : { text: t('returnText') })} />
      {claim === '' && !answer ? (
        <Card>
          <EmptyState art="link" title={t('noClaim')} text={t('noClaimText')} as="h2" action={<Back />} />
        </Card>
      ) : answer?.ok ? (
        <Outcome {...answer.result} />
      ) : answer && FINAL_REFUSALS.has(answer.code) ? (
        <ClaimEnded code={answer.code} />
      ) : (
        <Confirm answer={answer} />
      )}
    </Page>
  );
}

const BOLD = { b: (words: ReactNode) => <b>{words}</b> };

function Outcome({ credits, state, balance }: { credits: number; state: 'paid' | 'held'; balance: number }): ReactNode {
  const t = useT('links');
  const vars = { amount: <CreditAmount value={credits} />, balance: <CreditAmount value={balance} /> };
  return (
    <>
      <Banner tone={state === 'paid' ? 'positive' : 'warning'} live>
        {state === 'paid' ? (
          <Rich t={t} k="paid" tags={BOLD} vars={vars} />
        ) : (
          <Rich t={t} k="held" tags={BOLD} vars={{ amount: vars.amount }} />
        )}
      </Banner>
      <div className="sp-btn-row">
        <Back />
      </div>
    </>
  );
}

/** Refusals that retrying the same link does not change. */
const FINAL_REFUSALS: ReadonlySet<ErrorCode> = new Set(['LINK_CLAIM_USED', 'LINK_CLAIM_OVER', 'LINK_CLAIM_UNKNOWN']);

function ClaimEnded({ code }: { code: ErrorCode }): ReactNode {
  const text = useErrorText();
  return (
    <>
      <Banner tone="info" live>
        {text.code(code)}
      </Banner>
      <div className="sp-btn-row">
        <Back />
      </div>
    </>
  );
}

/**
 * The form that completes the link. With scripts it submits itself once, at once: some proofs are valid for seconds
 * only.
 */
function Confirm({ answer }: { answer: FormFailure | undefined }): ReactNode {
  const t = useT('links');
  const data = useLoaderData<typeof loader>();
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef(false);
  const submit = useSubmit();
  const busy = useNavigation().state !== 'idle';
  const shown = useFormProps(answer);
  // An effect, because only the browser may submit it.
  useEffect(() => {
    if (sent.current || answer) return;
    sent.current = true;
    void submit(form.current, { replace: true });
  }, [submit, answer]);
  const early = answer?.code === 'LINK_TOO_SOON' && answer.retryAfterS !== null ? answer.retryAfterS : null;
  return (
    <Card>
      {early !== null && <TooEarly waitS={early} />}
      <Form ref={form} {...shown} problem={early === null ? shown.problem : undefined}>
        <FormKey />
        <input type="hidden" name="claim" value={answer?.values.claim ?? data.claim} />
        <input type="hidden" name="proof" value={answer?.values.proof ?? data.proof} />
        <div className="sp-btn-row">
          <Button type="submit" variant="primary" busy={busy}>
            {busy ? t('checking') : t(answer ? 'again' : 'confirm')}
          </Button>
          <Back />
        </div>
      </Form>
    </Card>
  );
}

/** Too quick: how long to wait. */
function TooEarly({ waitS }: { waitS: number }): ReactNode {
  const t = useT('links');
  const format = useFormat();
  const { now, elapsedMs } = useShell();
  const at = useRef<number>(null);
  at.current ??= Date.parse(now) + elapsedMs() + waitS * SECOND;
  return (
    <Banner tone="info" live>
      <Rich t={t} k="tooSoon" tags={BOLD} vars={{ time: format.duration(waitS * SECOND) }} />
    </Banner>
  );
}

function Back(): ReactNode {
  const t = useT('links');
  return <LinkButton to={href('earn.links')}>{t('back')}</LinkButton>;
}

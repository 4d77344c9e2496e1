import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import type { ButtonVariant } from '#client/ui/button.tsx';
import { CreditAmount, PriceLines } from '#client/ui/credit-amount.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import { href } from '#shared/routes/href.ts';
import { BOLD } from './parts.tsx';

/** What a renewal costs and gives now. */
export interface Renewal {
  readonly cost: number;
  readonly days: number;
  readonly new_expiry: string | null;
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly balance: number;
}
/** The result of a successful renewal. */
export interface Renewed {
  readonly intent: 'renew';
  readonly expires_at: string;
  readonly balance: number;
}

interface RenewBoxProps {
  server: ServerView;
  renewal: Renewal;
  /** The last result, if it was this form's. */
  answer: FormResult<unknown> | undefined;
  variant?: ButtonVariant;
}

/**
 * Price, balance before and after, and the button: the price shown is the price charged. With too few credits, how many
 * are missing and how to earn them.
 */
export function RenewBox({ server, renewal, answer, variant = 'primary' }: RenewBoxProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const errors = useErrorText();
  const { cost, days, new_expiry: until, balance } = renewal;
  const form = useFormProps(answer);
  const period =
    until === null ? t('renewDays', { count: days }) : t('renewUntil', { count: days, date: format.date(until) });
  const enough = balance >= cost;
  const refused = renewal.reason !== null && renewal.reason !== 'INSUFFICIENT_CREDITS';
  const lines = [
    { label: period, value: cost },
    { label: t('balanceNow'), value: balance },
  ];
  if (refused) return <p className="sp-lead">{errors.code(renewal.reason ?? '')}</p>;
  return (
    <Form {...form} noSummary>
      <input type="hidden" name="_intent" value="renew" />
      <input type="hidden" name="price" value={cost} />
      <input type="hidden" name="expires_at" value={server.expires_at ?? ''} />
      <FormKey />
      {form.problem && (
        <Banner tone="danger" live>
          {form.problem}
        </Banner>
      )}
      {enough ? (
        <PriceLines lines={lines} sum={{ label: t('balanceAfter'), value: balance - cost }} />
      ) : (
        <>
          <PriceLines
            lines={[lines[0] ?? { label: period, value: cost }]}
            sum={{ label: t('balanceNow'), value: balance }}
          />
          <MissingCredits amount={cost - balance} />
        </>
      )}
      <Button type="submit" variant={variant} block disabled={!enough}>
        {t('renewNow')} <CreditAmount value={cost} />
      </Button>
    </Form>
  );
}

/** How many credits are missing, and the ways to earn them that this host has. */
export function MissingCredits({ amount }: { amount: number }): ReactNode {
  const t = useT('servers');
  const { flags } = useShell();
  const earningLinks = [
    flags.afk_enabled && <TextLink to={href('earn.afk')}>{t('earnAfk')}</TextLink>,
    flags.code_redemption_enabled && <TextLink to={href('earn.redeem')}>{t('earnRedeem')}</TextLink>,
  ].filter(Boolean);
  return (
    <div className="sp-missing">
      <Rich
        t={t}
        k={earningLinks.length > 0 ? 'missing' : 'missingShort'}
        vars={{ amount: <CreditAmount value={amount} /> }}
      />{' '}
      {earningLinks.map((way, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a fixed list without state
        <span key={index}>{way}</span>
      ))}
    </div>
  );
}

/** The banner after a renewal. */
export function RenewedBanner({ answer }: { answer: Renewed }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const vars = { date: format.date(answer.expires_at), balance: <CreditAmount value={answer.balance} /> };
  return (
    <Banner tone="positive" live>
      <Rich t={t} k="renewed" tags={BOLD} vars={vars} />
    </Banner>
  );
}

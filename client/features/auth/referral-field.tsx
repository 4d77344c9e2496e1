import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Field } from '#client/ui/field.tsx';
import { TextInput } from '#client/ui/text-input.tsx';

/** The state of the code in the page's address; `off` while referrals are off. */
type ReferralState = 'off' | 'none' | 'known' | 'unknown';

const HINTS = { none: 'codeHint', known: 'codeKnown', unknown: 'codeUnknown' } as const;

/** The referral code (behaviour 4.4). It is optional, and a wrong one does not block registration. */
export function ReferralField({ state, code }: { state: ReferralState; code: string }): ReactNode {
  const t = useT('referrals');
  const format = useFormat();
  const { settings } = useShell();
  if (state === 'off') return null;
  const credits = format.credits(Number(settings.referral_newcomer_credits ?? 0));
  return (
    <Field label={t('codeLabel')} name="referral" optional hint={t(HINTS[state], { credits })}>
      <TextInput
        size="lg"
        mono
        defaultValue={code}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
      />
    </Field>
  );
}

/** After registering: whether the referral code was valid. Nothing if there was none. */
export function ReferralNote({ state }: { state: 'none' | 'known' | 'unknown' }): ReactNode {
  const t = useT('referrals');
  if (state === 'none') return null;
  return <p className="sp-lead">{t(state === 'known' ? 'afterKnown' : 'afterUnknown')}</p>;
}

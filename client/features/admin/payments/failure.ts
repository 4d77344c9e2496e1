import { useT } from '#client/lib/i18n.tsx';

/** Codes that have texts; all others are the gateway's own. */
const FAILURES = [
  'ACCOUNT',
  'ORDER',
  'USER',
  'REFERENCE',
  'CURRENCY',
  'AMOUNT',
  'PAID_TWICE',
  'PAYMENT_OF_ANOTHER',
  'GATEWAY',
  'NO_ANSWER',
  'WALLET_FULL',
  'NOT_CARRIED_OUT',
  'UNKNOWN_ORDER',
] as const;

/** The text of a failure; the gateway's own codes are shown as they are. */
export function useFailureText(): (code: string) => string {
  const t = useT('payments');
  return (code) => {
    const known = FAILURES.find((each) => each === code);
    return known ? t(`failure.${known}`) : code;
  };
}

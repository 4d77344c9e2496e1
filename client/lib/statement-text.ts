import { sourceOfKind } from '#shared/earning-sources.ts';
import { useLooseT } from './i18n.tsx';

/** Texts of a statement row, from the namespaces `account` and `sources`. */
interface StatementText {
  /** What for, from the transaction's kind. */
  kind: (kind: string) => string;
  /** What one row is for: a gift is sent or received, and its fee is a row of its own. */
  row: (row: { kind: string; amount: number; counterpart: string }) => string;
  /** Which: a code, a server's name, or, in the store, a kind of resource in words; `''` when nothing says it. */
  subject: (row: { kind: string; subject: string | null }) => string;
  /** The counterpart: a user's name, or the text of a system account. */
  counterpart: (counterpart: string) => string;
}

/** A gift and its fee are one transaction: the fee's row is recognised by its counterpart. */
export function isGiftFee({ kind, counterpart }: { kind: string; counterpart: string }): boolean {
  return kind === 'gift' && counterpart === 'system:gift.fee';
}

/** How the statement and the dashboard name a movement. */
export function useStatementText(): StatementText {
  const t = useLooseT('account');
  const sources = useLooseT('sources');
  const kindText = (kind: string): string => {
    const source = sourceOfKind(kind);
    return source === null ? t([`kind.${kind}`, 'kind.other']) : sources(`${source}.reward`);
  };
  return {
    kind: kindText,
    row: (row) =>
      isGiftFee(row)
        ? t('kind.gift.fee')
        : row.kind === 'gift'
          ? t(row.amount < 0 ? 'kind.gift.sent' : 'kind.gift.received')
          : kindText(row.kind),
    subject: ({ kind, subject }) => {
      if (subject === null) return '';
      return (kind.startsWith('store.') && t(`resource.${subject}`)) || subject;
    },
    counterpart: (counterpart) => {
      const found = /^(?:system:|(hold|debt|user):)(.*)$/.exec(counterpart);
      if (!found) return counterpart;
      const [, kind, rest = ''] = found;
      return t([`with.${kind ?? rest.split('.')[0] ?? ''}`, 'with.other']);
    },
  };
}

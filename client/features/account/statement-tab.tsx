import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { ListPatch, ListState } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { STATEMENT_LIST, statementFilters } from '#client/resource/statement-query.ts';
import { StatementCsv, StatementList } from '#client/resource/statement.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { endpointUrl } from '#shared/contract/client.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { href } from '#shared/routes/href.ts';
import type { AccountData } from './screen.tsx';

type Statement = NonNullable<AccountData['statement']>;

/** The list's address with the tab, which every link of this tab has to keep. */
function useStatementList(): { state: ListState; hrefOf: (patch: ListPatch) => string } {
  const { state, hrefOf } = useListState(STATEMENT_LIST);
  return {
    state,
    hrefOf: (patch) => {
      const [path = '', query] = hrefOf(patch).split('?');
      return `${path}?tab=statement${query ? `&${query}` : ''}`;
    },
  };
}

/** The visitor's statement (behaviour 2), with the reason of every row. */
export function StatementTab({ statement }: { statement: Statement }): ReactNode {
  const t = useT('account');
  const why = useT('statement');
  const { flags } = useShell();
  const { state, hrefOf } = useStatementList();
  const csv = endpointUrl(WIRE.account.statementCsv, { query: { ...statementFilters(state) } });
  const empty = (
    <EmptyState
      art="receipt"
      title={t('noMovements')}
      text={t('noMovementsText')}
      action={flags.afk_enabled && <LinkButton to={href('earn.afk')}>{t('earnFirst')}</LinkButton>}
    />
  );
  return (
    <Card title={t('statement')} flush aside={<StatementCsv to={csv} />}>
      <Stats>
        <StatTile
          label={t('balanceNow')}
          value={<CreditAmount value={statement.balance} />}
          {...(statement.accrued > 0 ? { note: t('accruedNote', { count: statement.accrued }) } : {})}
        />
        <StatTile
          label={t('held')}
          value={<CreditAmount value={statement.held} variant="plain" />}
          {...(statement.held > 0 ? { note: t('heldNote') } : {})}
        />
        {statement.debt > 0 && (
          <StatTile
            label={why('debt')}
            value={<CreditAmount value={statement.debt} variant="plain" />}
            note={why('debtNote')}
          />
        )}
      </Stats>
      <StatementList statement={statement} state={state} hrefOf={hrefOf} empty={empty}>
        <input type="hidden" name="tab" value="statement" />
      </StatementList>
    </Card>
  );
}

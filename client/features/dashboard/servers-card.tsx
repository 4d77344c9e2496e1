import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useListState } from '#client/lib/use-list-state.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount, PriceLines } from '#client/ui/credit-amount.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { FormKey } from '#client/lib/form-key.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Pager } from '#client/ui/pager.tsx';
import { href } from '#shared/routes/href.ts';
import type { DashboardData } from './screen.tsx';
import { SERVER_LIST } from './server-list.ts';
import { ServerRow } from './server-row.tsx';

/** The visitor's servers. */
export function ServersCard({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  const format = useFormat();
  const { flags, settings } = useShell();
  const words = {
    t,
    format,
    nowMs: Date.parse(data.now),
    renewDays: Number(settings.server_renew_days) || 30,
    graceDays: Number(settings.renew_grace_days),
  };
  const { servers } = data;
  const { page, per_page: size, total } = data.paging;
  const { hrefOf } = useListState(SERVER_LIST);
  const pager =
    total > size ? { foot: <Pager page={page} size={size} total={total} hrefOf={(to) => hrefOf({ page: to })} /> } : {};
  return (
    <Card
      title={t('servers')}
      flush
      {...(total > 0 ? { count: format.number(total) } : {})}
      {...pager}
      aside={flags.server_renew_enabled && data.due > 0 && <PayAll data={data} />}
    >
      {total === 0 ? (
        <NoServers open={flags.allow_servers} />
      ) : (
        <ul className="sp-servers">
          {servers.map((server) => (
            <ServerRow key={server.id} server={server} words={words} renewCost={data.renew_cost} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function NoServers({ open }: { open: boolean }): ReactNode {
  const t = useT('dashboard');
  if (!open) return <EmptyState title={t('noServers')} text={t('noServersOff')} />;
  return (
    <EmptyState
      title={t('noServers')}
      text={t('noServersText')}
      action={
        <LinkButton to={href('server.create')} icon="plus">
          {t('createServer')}
        </LinkButton>
      }
    />
  );
}

/** Pays what is due in one click; with scripts it asks first. The resulting balance is shown either way. */
function PayAll({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  const format = useFormat();
  const submit = useSubmit();
  const { due, balance } = data;
  const covered = balance >= due;
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const lines = [
      { label: t('due'), value: due },
      { label: t('balanceNow'), value: balance },
    ];
    const text = (
      <>
        <p>{t('payAllText')}</p>
        {covered && <PriceLines lines={lines} sum={{ label: t('balanceAfter'), value: balance - due }} />}
      </>
    );
    if (await dialogs.confirm({ title: t('payAllTitle'), text, ok: t('pay') })) await submit(form);
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)}>
      <FormKey />
      <input type="hidden" name="price" value={due} />
      <div className="sp-row">
        <span className="sp-meta sp-hide-phone">
          {covered ? t('payAllNote', { amount: format.credits(balance - due) }) : t('payAllShort')}
        </span>
        <Button type="submit" variant="ghost" size="sm" disabled={balance < data.renew_cost}>
          {t('payAll')} <CreditAmount value={due} />
        </Button>
      </div>
    </Form>
  );
}

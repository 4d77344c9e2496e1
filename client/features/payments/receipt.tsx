import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { createFormat } from '#client/lib/format.ts';
import { useFormat, useI18n, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useMoney } from '#client/lib/money.ts';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { endpointUrl } from '#shared/contract/client.ts';
import type { Receipt } from '#shared/contract/payments.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { href } from '#shared/routes/href.ts';

/** The receipt of an order. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).payments.receipt({ params: { id: args.params.id ?? '' } });
}

/** The document's title begins with it. */
export const pageName = ({ receipt }: Awaited<ReturnType<typeof loader>>): string => receipt.number;

/** /store/orders/:id/receipt, printable, with the same content as the PDF (server/receipts). */
export default function ReceiptScreen(): ReactNode {
  const t = useT('payments');
  const { translator } = useI18n();
  const { settings } = useShell();
  // It is dated by the host's calendar, as its PDF is.
  const issuedOn = createFormat(translator, String(settings.app_timezone)).date;
  const scripted = useScripted();
  const { receipt } = useLoaderData<typeof loader>();
  const id = receipt.order;
  const { seller, customer } = receipt;
  return (
    <article className="sp-receipt">
      <div className="sp-pay__row sp-receipt__tools">
        <LinkButton to={href('store.order', { id })} variant="ghost">
          {t('backToOrder')}
        </LinkButton>
        <a
          className="sp-btn"
          data-variant="secondary"
          href={endpointUrl(WIRE.payments.receiptPdf, { params: { id } })}
          download
        >
          {t('receiptPdf')}
        </a>
        <Button {...scripted} onClick={() => window.print()}>
          {t('print')}
        </Button>
      </div>
      <header>
        <h1>{t('receiptNo', { number: receipt.number })}</h1>
        <p>{`${t('issued')}: ${issuedOn(receipt.issued_at)}`}</p>
        <p className="sp-meta">{`${t('order')}: ${id}`}</p>
      </header>
      <div className="sp-receipt__parties">
        <Party
          label={t('seller')}
          lines={[seller.name, ...seller.lines, ...(seller.vat === '' ? [] : [t('vat', { number: seller.vat })])]}
        />
        <Party label={t('customer')} lines={[customer.name, customer.username, customer.email]} />
      </div>
      <Lines receipt={receipt} />
      <footer>
        <p className="sp-meta">{`${t('via')}: ${t(`provider.${receipt.provider}`)}`}</p>
        <p className="sp-meta">{t('thanks')}</p>
      </footer>
    </article>
  );
}

function Party({ label, lines }: { label: string; lines: readonly string[] }): ReactNode {
  const [name, ...rest] = lines.filter(Boolean);
  return (
    <section aria-label={label}>
      <h2>{label}</h2>
      <p>
        <b>{name}</b>
      </p>
      {rest.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line of an address is its place
        <p key={index}>{line}</p>
      ))}
    </section>
  );
}

/** What was bought, the tax in it, and the sum. */
function Lines({ receipt }: { receipt: Receipt }): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const cash = (minor: number): string => money(minor, receipt.currency);
  const what = t('itemCredits', {
    label: receipt.label ?? t('customAmount'),
    credits: format.credits(receipt.credits + receipt.bonus),
  });
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('item')}</th>
          <th scope="col">{t('amount')}</th>
        </tr>
      </thead>
      <tbody>
        <Line label={what} value={cash(receipt.amount)} />
        {receipt.tax_rate > 0 && <Line label={t('net')} value={cash(receipt.net)} />}
        {receipt.tax_rate > 0 && (
          <Line label={t('taxAt', { rate: format.percent(receipt.tax_rate / 10_000, 2) })} value={cash(receipt.tax)} />
        )}
        <Line label={t('total')} value={cash(receipt.amount)} sum />
        {receipt.refunded > 0 && <Line label={t('refundedSum')} value={cash(receipt.refunded)} />}
      </tbody>
    </table>
  );
}

function Line({ label, value, sum = false }: { label: string; value: string; sum?: boolean }): ReactNode {
  return (
    <tr data-sum={sum || undefined}>
      <th scope="row">{label}</th>
      <td>{value}</td>
    </tr>
  );
}

import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Block } from '#client/ui/block.tsx';
import type { BlockShape } from '#client/ui/block.tsx';
import { Button } from '#client/ui/button.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Form } from '#client/ui/form.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { Counter } from '#client/ui/slider.tsx';
import { can } from '#shared/can.ts';
import type { ResourceKind } from '#shared/constants.ts';
import { amountText, refusalOf } from './amounts.ts';
import { PurchasePreview } from './purchase.tsx';
import { RefusalLine } from './refusal.tsx';
import type { StoreAnswer, StoreItem } from './screen.tsx';

/** The block of each kind: shape and hue. */
const PICTURES: Readonly<Record<ResourceKind, readonly [BlockShape, number]>> = {
  memory: ['slab', 8],
  disk: ['pedestal', 6],
  cpu: ['cube', 0],
  slots: ['pillar', 5],
  ports: ['pair', 9],
  databases: ['pedestal', 4],
  backups: ['cube', 10],
};

interface ItemCardProps {
  item: StoreItem;
  balance: number;
  /** The refusal of this item's purchase. */
  answer: StoreAnswer | undefined;
}

/** One item on sale: what it is, the current limit, the price, and the purchase form. */
export function ItemCard({ item, balance, answer }: ItemCardProps): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const { session } = useShell();
  const vip = can(session.permissions, 'user.permission.vip');
  const [units, setUnits] = useState(() => initialUnits(answer));
  const refusal = refusalOf({ item, units, balance, vip });
  const [shape, hue] = PICTURES[item.kind];
  const off = refusal === 'vip' || refusal === 'limit';
  const amount = (n: number): string => amountText(item.kind, n, format);
  const added = off || refusal === 'units' ? 0 : units * item.quantity;
  return (
    <section className="sp-card sp-good" aria-labelledby={`item-${item.id}`}>
      <header className="sp-good__head">
        <Block shape={shape} hue={hue} size="lg" off={off} />
        <div className="sp-good__what">
          <h2 id={`item-${item.id}`}>
            {t(`kind.${item.kind}`)}
            {item.vip_only && (
              <Badge tone="vip" icon="crown">
                {t('vip')}
              </Badge>
            )}
          </h2>
          <p>
            <UnitText item={item} />
          </p>
        </div>
        <p className="sp-good__price">
          <CreditAmount value={item.price} size="lg" />
          <span className="sp-meta">{t('each')}</span>
        </p>
      </header>
      <div className="sp-good__have">
        <ResourceMeter
          label={t('limitLabel')}
          used={item.current}
          added={added}
          total={item.limit}
          format={amount}
          {...(added > 0
            ? {
                value: (
                  <LimitChange from={amount(item.current)} to={amount(item.current + added)} of={amount(item.limit)} />
                ),
              }
            : {})}
        />
        <p className="sp-meta">{t('used', { amount: amount(item.used) })}</p>
      </div>
      {off ? (
        <RefusalLine refusal={refusal} item={item} units={units} balance={balance} />
      ) : (
        <BuyForm item={item} balance={balance} units={units} setUnits={setUnits} answer={answer} />
      )}
    </section>
  );
}

/** The limit before and after the purchase, and its maximum. */
function LimitChange({ from, to, of }: { from: string; to: string; of: string }): ReactNode {
  return (
    <>
      {from} → {to} <span>/ {of}</span>
    </>
  );
}

/** The initial units: those of a refused purchase, otherwise one. */
function initialUnits(answer: StoreAnswer | undefined): number {
  const asked = answer && !answer.ok ? Number(answer.values.units) : 1;
  return Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
}

/** What one unit adds. */
function UnitText({ item }: { item: StoreItem }): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const { kind, quantity } = item;
  if (kind === 'memory' || kind === 'disk' || kind === 'cpu')
    return t(`unit.${kind}`, { amount: amountText(kind, quantity, format) });
  return t(kind, { count: quantity });
}

interface BuyFormProps extends ItemCardProps {
  units: number;
  setUnits: (units: number) => void;
}

/** Units and the button. With scripts it shows the total and asks first; without them it is submitted directly. */
function BuyForm({ item, balance, units, setUnits, answer }: BuyFormProps): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const { session } = useShell();
  const submit = useSubmit();
  const hydrated = useHydrated();
  const { problem, ...shown } = useFormProps(answer);
  const refusal = refusalOf({ item, units, balance, vip: can(session.permissions, 'user.permission.vip') });
  const name = t(`kind.${item.kind}`);
  const total = item.price * units;
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = <PurchasePreview item={item} units={units} balance={balance} />;
    if (await dialogs.confirm({ title: t('confirmTitle', { item: name }), text, ok: t('buy') })) await submit(form);
  };
  return (
    <Form
      {...shown}
      problem={problem}
      labels={{ units: t('units') }}
      onSubmit={(event) => void ask(event)}
      noValidate
      preventScrollReset
    >
      <FormKey />
      <input type="hidden" name="item_id" value={item.id} />
      <input type="hidden" name="price" value={item.price} />
      <div className="sp-good__buy">
        <Counter
          label={t('unitsOf', { item: name })}
          name="units"
          min={1}
          max={Math.min(item.units_left, 1000)}
          value={units}
          onChange={setUnits}
        />
        <Button type="submit" disabled={hydrated && refusal !== null} block>
          <span className="sp-good__sum">
            {hydrated && refusal !== 'units' ? (
              <Rich t={t} k="buyFor" vars={{ price: <CreditAmount value={total} /> }} />
            ) : (
              t('buy')
            )}
          </span>
          <span className="sp-sr">: {name}</span>
        </Button>
      </div>
      {refusal !== null ? (
        <RefusalLine refusal={refusal} item={item} units={units} balance={balance} />
      ) : (
        <p className="sp-good__after">
          {hydrated
            ? t('balanceChange', { now: format.number(balance), after: format.number(balance - total) })
            : t('balanceToday', { balance: format.credits(balance) })}
        </p>
      )}
    </Form>
  );
}

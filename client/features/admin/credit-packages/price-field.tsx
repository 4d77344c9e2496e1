import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useMoney } from '#client/lib/money.ts';
import { useAreaTexts, type CustomFieldProps } from '#client/resource/area.ts';
import { Field } from '#client/ui/field.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { TextInput } from '#client/ui/text-input.tsx';
import { isCurrency } from '#shared/currencies.ts';
import { formatDecimal, parseDecimal, includedTax } from '#shared/money.ts';

/** Parses a typed price to minor units; null if it is not an amount of that currency. */
export function parsePrice(typed: string, currency: string): number | null {
  return parseDecimal(typed.trim().replace(',', '.'), currency.trim().toUpperCase());
}

/**
 * The price of a package, typed with decimals, and a preview of what players will see: with the currency, and the
 * included tax.
 */
export function PriceField({ name, label, hint, value, row, options }: CustomFieldProps): ReactNode {
  const texts = useAreaTexts('creditPackages');
  const money = useMoney();
  const { values } = useFormErrors();
  const own = typeof row.currency === 'string' ? row.currency : 'EUR';
  const first = values[name] ?? (typeof value === 'number' ? formatDecimal({ minor: value, currency: own }) : '');
  const [typed, setTyped] = useState(first);
  const [currency, setCurrency] = useState(values.currency ?? own);
  const at = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const form = at.current?.closest('form');
    const input = form?.elements.namedItem('currency');
    if (!form || !(input instanceof HTMLInputElement)) return;
    const note = (): void => setCurrency(input.value);
    form.addEventListener('input', note);
    return () => form.removeEventListener('input', note);
  }, []);
  const code = currency.trim().toUpperCase();
  const minor = isCurrency(code) ? parsePrice(typed, code) : null;
  const rate = Number(options[0]?.value ?? 0);
  const tax = minor === null ? 0 : includedTax(minor, rate);
  return (
    <div ref={at}>
      <Field
        label={label}
        name={name}
        required
        hint={
          <>
            {hint}{' '}
            <span aria-live="polite">
              {minor !== null &&
                minor > 0 &&
                texts.text(rate > 0 ? 'playersSeeTax' : 'playersSee', {
                  price: money(minor, code),
                  tax: money(tax, code),
                })}
            </span>
          </>
        }
      >
        <TextInput
          inputMode="decimal"
          autoComplete="off"
          maxLength={16}
          defaultValue={first}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
    </div>
  );
}

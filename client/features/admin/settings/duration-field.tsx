import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useControl } from '#client/ui/field-context.ts';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import type { SettingKey } from '#shared/settings.ts';
import { durationUnits, toReadable, unitName } from './durations.ts';
import { rowOf } from './form.ts';
import type { SettingTexts } from './texts.ts';

interface DurationFieldProps {
  readonly settingKey: SettingKey;
  /** The number as it is stored. */
  readonly text: string;
  readonly disabled: boolean;
  readonly texts: SettingTexts;
}

/** A duration: how many, and of what. */
export function DurationField({ settingKey: key, text, disabled, texts }: DurationFieldProps): ReactNode {
  const t = useT('staffSettings');
  const { id } = useControl({});
  const row = rowOf(key);
  const shown = toReadable(row, Number(text));
  const options = durationUnits(row).map((value) => ({ value, label: texts.unitText(value) }));
  return (
    <span className="sp-set__duration">
      <NumberInput defaultValue={shown?.count} step="any" inputMode="decimal" disabled={disabled} />
      <Select
        id={`${id ?? key}-unit`}
        name={unitName(key)}
        aria-label={t('unitOf', { label: texts.label(key) })}
        options={options}
        defaultValue={shown?.unit}
        disabled={disabled}
      />
    </span>
  );
}

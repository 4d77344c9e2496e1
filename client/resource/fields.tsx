import type { ReactNode } from 'react';
import { useFormat, useI18n } from '#client/lib/i18n.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { Switch } from '#client/ui/choice.tsx';
import { DateInput } from '#client/ui/date-input.tsx';
import { Field } from '#client/ui/field.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import type { ResourceOptions } from '#shared/contract/crud.ts';
import type { Field as FieldDefinition } from '#shared/resources/types.ts';
import { wallTime } from '#shared/zoned.ts';
import { useAreaTexts, type Area, type Overrides, type Row } from './area.ts';
import { boundsOf, type Bounds } from './read.ts';

interface ResourceFieldProps {
  definition: Area;
  name: string;
  /** The values of the row, or the defaults of a new one. */
  row: Row;
  options: ResourceOptions;
  overrides: Overrides | undefined;
}

/** A field of the form with its label, hint, bounds and error. */
export function ResourceField({ definition, name, row, options, overrides }: ResourceFieldProps): ReactNode {
  const texts = useAreaTexts(definition.area);
  const format = useFormat();
  const { values } = useFormErrors();
  const field = definition.fields[name];
  const value = row[name];
  const Own = overrides?.fields?.[name];
  if (!field || (field.kind === 'custom' && !Own)) return null;
  const label = texts.field(name);
  const bounds = boundsOf(definition.create, name);
  const range = { min: format.number(bounds.min ?? 0), max: format.number(bounds.max ?? 0) };
  const hint =
    texts.hint(name) ?? (field.kind === 'number' && bounds.max !== undefined ? texts.text('range', range) : undefined);
  if (Own) return <Own name={name} label={label} hint={hint} value={value} row={row} options={options[name] ?? []} />;
  if (field.kind === 'switch') {
    // An unticked box is not submitted: with restored values, its presence decides.
    const checked = Object.keys(values).length > 0 ? values[name] !== undefined : value === true;
    return <Switch name={name} label={label} hint={hint} defaultChecked={checked} />;
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const required = !field.optional && (field.kind === 'number' || field.kind === 'select' || (bounds.min ?? 0) > 0);
  return (
    <Field
      label={label}
      name={name}
      required={required}
      optional={!required}
      {...(hint === undefined ? {} : { hint })}
      {...(field.kind === 'text' || field.kind === 'textarea' ? { counter: bounds.max ?? 0, length: text.length } : {})}
    >
      <Control definition={definition} name={name} field={field} bounds={bounds} text={text} options={options} />
    </Field>
  );
}

interface ControlProps extends Omit<ResourceFieldProps, 'row' | 'overrides'> {
  field: FieldDefinition;
  bounds: Bounds;
  text: string;
}

function Control({ definition, name, field, bounds, text, options }: ControlProps): ReactNode {
  const texts = useAreaTexts(definition.area);
  const { timeZone } = useI18n();
  const shared = { defaultValue: text, maxLength: bounds.max, autoComplete: 'off', spellCheck: field.kind !== 'code' };
  switch (field.kind) {
    case 'textarea':
      return <Textarea rows={field.rows ?? 3} {...shared} />;
    case 'code':
      return field.rows ? <Textarea rows={field.rows} mono {...shared} /> : <TextInput mono {...shared} />;
    case 'number':
      return (
        <NumberInput
          defaultValue={text}
          min={bounds.min}
          max={bounds.max}
          {...(field.unit === undefined ? {} : { unit: field.unit })}
        />
      );
    case 'select': {
      const values =
        field.options === 'answer'
          ? (options[name] ?? [])
          : (field.options ?? []).map((each) => ({ value: each, label: texts.value(name, each) }));
      return <Select options={values} defaultValue={text} placeholder={texts.text('choose')} />;
    }
    case 'datetime':
      return <DateInput time defaultValue={text === '' ? '' : wallTime(Date.parse(text), timeZone)} />;
    default:
      return <TextInput {...shared} />;
  }
}

import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { CustomFieldProps } from '#client/resource/area.ts';
import { Button, IconButton } from '#client/ui/button.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field, FieldError } from '#client/ui/field.tsx';
import { FormContext, useFormErrors } from '#client/ui/form-context.ts';
import { TextInput } from '#client/ui/text-input.tsx';
import { uncheckedRules } from '#shared/egg-rules.ts';
import { MAX_VARIABLES, type EggVariable } from '#shared/schemas/egg.ts';
import { BLANK_VARIABLE, initialRows } from './variables.ts';

interface Line {
  readonly key: number;
  readonly first: EggVariable;
}
/** Empty rows offered without scripts. */
const SPARE_ROWS = [0, 1, 2];

/**
 * The variables of an egg, each a row of plain fields. Without scripts, spare rows add variables and an emptied row
 * removes one.
 */
export function VariablesField({ value, hint }: CustomFieldProps): ReactNode {
  const t = useLooseT('areas/eggs');
  const form = useFormErrors();
  const [lines, setLines] = useState<readonly Line[]>(() => linesOf(initialRows(form.values, value), 0));
  const [given, setGiven] = useState(form.values);
  // Errors are numbered by the rows that were sent; start from those, so that errors match their rows.
  if (given !== form.values) {
    setGiven(form.values);
    if (Object.keys(form.values).length > 0) setLines(linesOf(initialRows(form.values, value), nextKey(lines)));
  }
  const own = useMemo(() => ({ ...form, values: {}, chosen: undefined }), [form]);
  const box = useRef<HTMLDivElement>(null);
  const count = lines.length;
  const before = useRef(count);
  useEffect(() => {
    // Adding and removing rows fires no input event, which the form needs to count unsaved changes.
    if (before.current !== count) box.current?.dispatchEvent(new Event('input', { bubbles: true }));
    before.current = count;
  }, [count]);
  const error = form.errors.variables;
  return (
    <FormContext value={own}>
      <div className="sp-vars" ref={box} id={`${form.formId}-variables`} tabIndex={-1}>
        {error && <FieldError id={`${form.formId}-variables-error`} text={form.translate(error, 'variables')} />}
        {lines.map((line, at) => (
          <VariableRow
            key={line.key}
            at={at}
            first={line.first}
            remove={() => setLines(lines.filter((each) => each !== line))}
          />
        ))}
        <noscript>
          {SPARE_ROWS.map((at) => (
            <VariableRow key={at} at={count + at} first={BLANK_VARIABLE} />
          ))}
        </noscript>
        {count === 0 && <p className="sp-muted sp-small">{t('noVariables')}</p>}
        {hint && <p className="sp-field__hint">{hint}</p>}
        <div className="sp-btn-row">
          <Button
            icon="plus"
            size="sm"
            disabled={count >= MAX_VARIABLES}
            onClick={() => setLines([...lines, { key: nextKey(lines), first: BLANK_VARIABLE }])}
          >
            {t('addVariable')}
          </Button>
        </div>
      </div>
    </FormContext>
  );
}

const linesOf = (rows: readonly EggVariable[], from: number): readonly Line[] =>
  rows.map((first, at) => ({ key: from + at, first }));
const nextKey = (lines: readonly Line[]): number => Math.max(-1, ...lines.map((line) => line.key)) + 1;

function VariableRow(props: { at: number; first: EggVariable; remove?: () => void }): ReactNode {
  const { at, first, remove } = props;
  const t = useLooseT('areas/eggs');
  const name = (part: string): string => `variables.${at}.${part}`;
  const label = (part: string): string => t(`fields.variables_${part}`);
  const unchecked = uncheckedRules(first.rules);
  const code = { mono: true, spellCheck: false, autoComplete: 'off' } as const;
  return (
    <fieldset className="sp-var">
      <legend className="sp-sr">{t('variable', { n: at + 1 })}</legend>
      <div className="sp-fields" data-columns="2">
        <Field label={label('name')} name={name('name')}>
          <TextInput defaultValue={first.name} maxLength={60} autoComplete="off" />
        </Field>
        <Field label={label('env')} name={name('env')}>
          <TextInput defaultValue={first.env} maxLength={64} {...code} autoCapitalize="characters" />
        </Field>
        <Field label={label('default_value')} name={name('default_value')}>
          <TextInput defaultValue={first.default_value} maxLength={1000} {...code} />
        </Field>
        <Field
          label={label('rules')}
          name={name('rules')}
          {...(unchecked.length > 0 ? { hint: t('leftToPanel', { rules: unchecked.join(', ') }) } : {})}
        >
          <TextInput defaultValue={first.rules} maxLength={2000} {...code} />
        </Field>
        <div data-wide>
          <Field label={label('description')} name={name('description')}>
            <TextInput defaultValue={first.description} maxLength={255} autoComplete="off" />
          </Field>
        </div>
      </div>
      <div className="sp-row" data-justify="between">
        <Checkbox name={name('user_editable')} defaultChecked={first.user_editable}>
          {label('user_editable')}
        </Checkbox>
        {remove && <IconButton icon="trash" size="sm" label={t('removeVariable', { n: at + 1 })} onClick={remove} />}
      </div>
    </fieldset>
  );
}

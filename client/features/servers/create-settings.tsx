import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { checkRules } from '#shared/egg-rules.ts';
import { variableField } from './create-form.ts';
import type { Egg, Variable } from './create-form.ts';

interface SettingsProps {
  egg: Egg | null;
  renew: { readonly enabled: boolean; readonly cost: number };
  /** Given back after a refusal: whether the switch was on. */
  autoRenew: boolean;
}

/** Fourth step: what the chosen software lets its owner set, and automatic renewal. */
export function SettingsStep({ egg, renew, autoRenew }: SettingsProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  return (
    <>
      {egg && egg.variables.length === 0 && <p className="sp-lead">{t('settingsNone', { software: egg.name })}</p>}
      {egg && egg.variables.length > 0 && (
        <div className="sp-fields" data-columns="2" key={egg.id}>
          {egg.variables.map((variable) => (
            <VariableField key={variable.env} egg={egg} variable={variable} />
          ))}
        </div>
      )}
      {renew.enabled && (
        <Switch
          name="auto_renew"
          label={t('autoRenew')}
          hint={t('autoRenewPays', { amount: format.credits(renew.cost) })}
          defaultChecked={autoRenew}
        />
      )}
    </>
  );
}

/** One variable. Its rules are looked at when the field is left, as the server will; what is wrong goes away while it is put right. */
function VariableField({ egg, variable }: { egg: Egg; variable: Variable }): ReactNode {
  const t = useT('servers');
  const text = useErrorText();
  const [code, setCode] = useState<string | null>(null);
  const check = (value: string): void => setCode(checkRules(variable.rules, value).code);
  const name = variableField(egg.id, variable.env);
  const optional = checkRules(variable.rules, '').code === null;
  const common = {
    label: variable.name,
    name,
    optional,
    ...(variable.description ? { hint: variable.description } : {}),
    ...(code === null ? {} : { error: text.field(code) }),
  };
  if (variable.kind === 'select' || variable.kind === 'switch') {
    const words = variable.kind === 'switch' ? { '0': t('off'), '1': t('on') } : {};
    const options = variable.options.map((value) => ({ value, label: labelOf(words, value) }));
    const known = variable.options.includes(variable.default_value);
    return (
      <Field {...common}>
        <Select options={options} defaultValue={variable.default_value} {...(known && !optional ? {} : { placeholder: '–' })} />
      </Field>
    );
  }
  return (
    <Field {...common}>
      <TextInput
        defaultValue={variable.default_value}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        {...(variable.kind === 'number' ? { inputMode: 'numeric' } : {})}
        onBlur={(event) => check(event.currentTarget.value)}
        onInput={(event) => {
          if (code !== null) check(event.currentTarget.value);
        }}
      />
    </Field>
  );
}

function labelOf(words: Readonly<Record<string, string>>, value: string): string {
  return words[value] ?? value;
}

import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { variableField } from './create-form.ts';
import type { Egg } from './create-form.ts';
import { VariableField } from './variable-field.tsx';

interface SettingsProps {
  egg: Egg | null;
  renew: { readonly enabled: boolean; readonly cost: number };
  /** To restore after a refusal: whether the switch was on. */
  autoRenew: boolean;
}

/** Fourth step: the variables of the chosen software, and automatic renewal. */
export function SettingsStep({ egg, renew, autoRenew }: SettingsProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  return (
    <>
      {egg && egg.variables.length === 0 && <p className="sp-lead">{t('settingsNone', { software: egg.name })}</p>}
      {egg && egg.variables.length > 0 && (
        <div className="sp-fields" data-columns="2" key={egg.id}>
          {egg.variables.map((variable) => (
            <VariableField
              key={variable.env}
              name={variableField(egg.id, variable.env)}
              variable={variable}
              value={variable.default_value}
            />
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

import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { FormContext, useFormErrors } from '#client/ui/form-context.ts';
import { can } from '#shared/can.ts';
import type { SettingKey } from '#shared/settings.ts';
import { isSecret } from '#shared/settings.ts';
import { SettingControl } from './control.tsx';
import { controlText, isLong, rowOf, seenName, seenOf } from './form.ts';
import type { SettingsData } from './load.ts';
import type { SettingTexts } from './texts.ts';

interface SettingProps {
  readonly settingKey: SettingKey;
  readonly row: SettingsData['rows'][number];
  readonly currency: string;
  readonly changed: boolean;
  readonly texts: SettingTexts;
}

/** A setting: what it is called and does, its control, its bounds and default, and what speaks against a change. */
export function Setting({ settingKey: key, row, currency, changed, texts }: SettingProps): ReactNode {
  const t = useT('staffSettings');
  const { permissions } = useShell().session;
  const form = useFormErrors();
  const box = useRef<HTMLDivElement>(null);
  const hydrated = useHydrated();
  const [resets, setResets] = useState(0);
  const forced = resets === 0 ? null : controlText(key, rowOf(key).default, currency);
  const [shown, setShown] = useState(row.revision);
  // What somebody else changed meanwhile replaces what is shown, unless something is typed here.
  if (shown !== row.revision && !changed) setShown(row.revision);
  const declared = rowOf(key);
  const owner = can(permissions, 'admin.root');
  const disabled =
    !can(permissions, 'admin.settings.edit') || (declared.ownerOnly === true && !owner) || row.overridden_by !== null;
  const bounds = texts.boundsText(key);
  // A secret is cleared, and a picture removed, by its own control.
  const isCleared = isSecret(key) || (declared.type === 'text' && declared.picture !== undefined);
  const resettable = hydrated && !disabled && !isCleared && (row.value !== declared.default || changed);
  const reset = (): void => {
    setResets(resets + 1);
    // Once the new control stands there, the form looks at it.
    setTimeout(() => box.current?.dispatchEvent(new Event('input', { bubbles: true })));
  };
  return (
    <div className="sp-set" data-changed={changed || undefined} data-long={isLong(key) || undefined} ref={box}>
      {!disabled && <input type="hidden" name={seenName(key)} value={seenOf(key, row, currency)} />}
      <Field
        name={key}
        label={texts.label(key)}
        hint={
          <>
            {texts.help(key)} <code className="sp-set__key">{key}</code>
            {declared.ownerOnly && !owner && <span className="sp-set__note">{t('ownerOnly')}</span>}
            {row.overridden_by !== null && (
              <span className="sp-set__note">{t('overridden', { variable: row.overridden_by })}</span>
            )}
          </>
        }
      >
        <div className="sp-set__control" key={`${shown} ${resets}`}>
          <FormContext value={forced === null ? form : { ...form, values: {}, chosen: undefined }}>
            <SettingControl
              settingKey={key}
              row={row}
              text={forced ?? controlText(key, row.value, currency)}
              disabled={disabled}
              currency={currency}
              texts={texts}
            />
          </FormContext>
          {(bounds !== '' || resettable) && (
            <div className="sp-set__bounds">
              <span>{bounds}</span>
              {resettable && (
                <Button
                  size="sm"
                  variant="ghost"
                  icon="reset"
                  aria-label={t('resetWhat', { label: texts.label(key) })}
                  onClick={reset}
                >
                  {t('reset')}
                </Button>
              )}
            </div>
          )}
          {form.errors[key] === 'CHANGED_MEANWHILE' && (
            <p className="sp-set__note">
              {t('nowIs', { value: texts.valueText(key, isSecret(key) && row.is_set ? '•' : row.value) })}
            </p>
          )}
        </div>
      </Field>
    </div>
  );
}

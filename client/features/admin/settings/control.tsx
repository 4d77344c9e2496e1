import { lazy, Suspense, useRef } from 'react';
import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Checkbox } from '#client/ui/choice.tsx';
import { useControl, useRestoredValue } from '#client/ui/field-context.ts';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { SwitchInput } from '#client/ui/switch-input.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { minorDigits } from '#shared/money.ts';
import { notationOf } from '#shared/setting-text.ts';
import type { SettingPicture } from '#shared/pictures.ts';
import type { SettingKey } from '#shared/settings.ts';
import { durationUnits } from './durations.ts';
import { clearName, rowOf } from './form.ts';
import { ListField } from './list-field.tsx';
import type { SettingsData } from './load.ts';
import { ShownPicture } from './shown-picture.tsx';
import type { SettingTexts } from './texts.ts';

/** What a picture is uploaded with: loaded once the page is there. */
const PictureField = lazy(async () => ({ default: (await import('./picture-field.tsx')).PictureField }));

/** What shows a text as pages will: loaded once the page is there. */
const MarkdownPreview = lazy(async () => ({ default: (await import('./markdown-preview.tsx')).MarkdownPreview }));

// These four stand in no Suspense of their own: the server waits for them, so that they work without scripts, and a
// page that is come to is shown once they are there, so that nothing is typed into what makes room for them.

/** What a time zone is picked with: one setting of some hundred has it. */
const TimeZoneInput = lazy(async () => ({ default: (await import('#client/ui/time-zone-field.tsx')).TimeZoneInput }));

/** What a colour is picked with. */
const ColourField = lazy(async () => ({ default: (await import('./colour-field.tsx')).ColourField }));

/** A field of code and the way to its editor: two settings have it. */
const CodeField = lazy(async () => ({ default: (await import('./code-field.tsx')).CodeField }));

/** What a duration is typed in. */
const DurationField = lazy(async () => ({ default: (await import('./duration-field.tsx')).DurationField }));

interface ControlProps {
  readonly settingKey: SettingKey;
  readonly row: SettingsData['rows'][number];
  /** The value as the control holds it. */
  readonly text: string;
  readonly disabled: boolean;
  readonly currency: string;
  readonly texts: SettingTexts;
}

/** The control of a setting, by its row of the registry. It stands in a `Field` of its name. */
export function SettingControl(props: ControlProps): ReactNode {
  const { settingKey: key, text, disabled, texts } = props;
  const declared = rowOf(key);
  const restored = useRestoredValue(key);
  if (declared.type === 'switch')
    return <SwitchInput defaultChecked={(restored ?? text) === 'on'} disabled={disabled} />;
  if (durationUnits(declared).length > 0)
    return <DurationField settingKey={key} text={text} disabled={disabled} texts={texts} />;
  if (declared.type === 'number') return <NumberControl {...props} />;
  if (declared.secret) return <SecretControl {...props} />;
  if (declared.choices) {
    const options = declared.choices.map((value) => ({ value, label: texts.choiceText(key, value) }));
    return <Select options={options} defaultValue={text} disabled={disabled} />;
  }
  if (declared.format === 'list')
    return (
      <ListField
        initial={restored ?? text}
        label={texts.label(key)}
        disabled={disabled}
        separator={declared.separator ?? '\n'}
      />
    );
  if (declared.format === 'colour')
    return <ColourField settingKey={key} text={text} label={texts.label(key)} disabled={disabled} />;
  if (declared.picture) return <PictureControl {...props} kind={declared.picture} />;
  if (declared.format === 'markdown') return <MarkdownControl text={text} disabled={disabled} />;
  if (declared.format === 'code')
    return <CodeField settingKey={key} text={text} label={texts.label(key)} disabled={disabled} />;
  if (key === 'app_timezone') return <TimeZoneInput defaultValue={text} disabled={disabled} />;
  if (declared.lines) return <Textarea rows={8} defaultValue={text} disabled={disabled} spellCheck={false} />;
  return <TextInput defaultValue={text} maxLength={declared.max} disabled={disabled} autoComplete="off" />;
}

/** A picture can be seen without scripts, and chosen with them. */
function PictureControl({
  settingKey: key,
  kind,
  text,
  disabled,
  texts,
}: ControlProps & { kind: SettingPicture }): ReactNode {
  const hydrated = useHydrated();
  const restored = useRestoredValue(key);
  const shown = (
    <div className="sp-set__picture">
      <ShownPicture name={key} kind={kind} id={restored ?? text} label={texts.label(key)} />
    </div>
  );
  if (!hydrated || disabled) return shown;
  return (
    <Suspense fallback={shown}>
      <PictureField settingKey={key} kind={kind} text={text} label={texts.label(key)} />
    </Suspense>
  );
}

function NumberControl({ settingKey: key, text, disabled, currency, texts }: ControlProps): ReactNode {
  const notation = notationOf(key);
  const digits = notation === 'money' ? minorDigits(currency) : notation === 'percent' ? 2 : 0;
  const unit = texts.unit(key);
  return (
    <NumberInput
      defaultValue={text}
      step={digits === 0 ? 1 : `0.${'1'.padStart(digits, '0')}`}
      inputMode={digits === 0 ? 'numeric' : 'decimal'}
      disabled={disabled}
      {...(unit === '' ? {} : { unit })}
    />
  );
}

/** A secret can be written and emptied; what is stored is nowhere to be seen. */
function SecretControl({ settingKey: key, row, disabled }: ControlProps): ReactNode {
  const t = useT('staffSettings');
  const format = useFormat();
  const control = useControl({});
  const state = row.is_unreadable
    ? t('secretUnreadable')
    : row.is_set && row.changed_at !== null
      ? t('secretSince', { date: format.date(row.changed_at) })
      : t('secretNone');
  return (
    <>
      <input
        {...control}
        className="sp-input"
        type="password"
        autoComplete="new-password"
        spellCheck={false}
        placeholder={t(row.is_set ? 'secretReplace' : 'secretEnter')}
        disabled={disabled}
      />
      <span className="sp-set__note">{state}</span>
      {(row.is_set || row.is_unreadable) && !disabled && <Checkbox name={clearName(key)}>{t('secretClear')}</Checkbox>}
    </>
  );
}

function MarkdownControl({ text, disabled }: { text: string; disabled: boolean }): ReactNode {
  const hydrated = useHydrated();
  const area = useRef<HTMLTextAreaElement>(null);
  return (
    <>
      <Textarea mono ref={area} rows={10} defaultValue={text} disabled={disabled} />
      {hydrated && !disabled && (
        <Suspense>
          <MarkdownPreview area={area} />
        </Suspense>
      )}
    </>
  );
}

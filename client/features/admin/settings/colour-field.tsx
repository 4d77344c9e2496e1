import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { useRestoredValue } from '#client/ui/field-context.ts';
import { TextInput } from '#client/ui/text-input.tsx';
import { OWN_ACCENT, type Theme } from '#shared/themes.ts';
import { isHexColour } from '#shared/hex-colour.ts';
import type { SettingKey } from '#shared/settings.ts';

/** With what it takes to measure colours: loaded once the page is there. */
const Contrast = lazy(async () => ({ default: (await import('./contrast.tsx')).Contrast }));

interface ColourFieldProps {
  readonly settingKey: SettingKey;
  /** `#rrggbb`, or nothing. */
  readonly text: string;
  readonly label: string;
  readonly disabled: boolean;
}

/** An accent colour: typed, or picked where scripts run; and how well it can be seen in its theme. */
export function ColourField({ settingKey: key, text, label, disabled }: ColourFieldProps): ReactNode {
  const t = useT('staffSettings');
  const hydrated = useHydrated();
  const restored = useRestoredValue(key);
  const [typed, setTyped] = useState(restored ?? text);
  // The browser holds the text, as of every control here: the form renders on input before this component hears of it.
  const input = useRef<HTMLInputElement>(null);
  // What was typed before this component was there counts as well.
  useEffect(() => setTyped((before) => input.current?.value ?? before), []);
  const theme: Theme = key === 'accent_light' ? 'light' : 'dark';
  const pick = (colour: string): void => {
    setTyped(colour);
    if (input.current) input.current.value = colour;
    input.current?.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return (
    <div className="sp-set__colour">
      <div className="sp-set__entry">
        {hydrated && (
          <input
            type="color"
            className="sp-set__swatch"
            aria-label={t('pickColour', { label })}
            value={isHexColour(typed) ? typed.toLowerCase() : OWN_ACCENT[theme]}
            disabled={disabled}
            onChange={(event) => pick(event.currentTarget.value)}
          />
        )}
        <TextInput
          mono
          ref={input}
          defaultValue={text}
          placeholder={OWN_ACCENT[theme]}
          maxLength={7}
          disabled={disabled}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {hydrated && typed !== '' && (
        <Suspense>
          <Contrast colour={typed} theme={theme} onUse={disabled ? null : pick} />
        </Suspense>
      )}
    </div>
  );
}

import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { useRestoredValue } from '#client/ui/field-context.ts';
import { Icon } from '#client/ui/icon.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { checkAccent, DRAWN_MIN, OWN_ACCENT, type Theme } from '#shared/accent.ts';
import { isHexColour } from '#shared/colour.ts';
import type { SettingKey } from '#shared/settings.ts';

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
      <Contrast colour={typed} theme={theme} onUse={disabled ? null : pick} />
    </div>
  );
}

/** Down to one decimal, so that 2.97 is not shown as the 3 that it misses. */
const floor = (ratio: number): number => Math.floor(ratio * 10) / 10;

/** The figures of a colour, and a shade that can be seen where it cannot. `onUse`: takes that shade; null: nobody may. */
function Contrast(props: { colour: string; theme: Theme; onUse: ((colour: string) => void) | null }): ReactNode {
  const { colour, theme, onUse } = props;
  const t = useT('staffSettings');
  const format = useFormat();
  const check = checkAccent(colour, theme);
  if (!check) return null;
  const isSeen = check.surface >= DRAWN_MIN;
  return (
    <p className="sp-set__contrast" data-low={!isSeen || undefined}>
      <Icon name={isSeen ? 'check' : 'alert'} size="sm" />
      <span>
        {t(isSeen ? 'contrastGood' : 'contrastLow', {
          surface: format.number(floor(check.surface)),
          label: format.number(floor(check.label)),
        })}
      </span>
      {!isSeen && onUse && (
        <Button size="sm" onClick={() => onUse(check.better)}>
          {t('contrastUse', { colour: check.better })}
        </Button>
      )}
    </p>
  );
}

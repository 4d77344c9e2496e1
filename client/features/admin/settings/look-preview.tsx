import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Wordmark } from '#client/ui/brand.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { OWN_ACCENT, THEMES, type Theme } from '#shared/accent.ts';
import { isHexColour } from '#shared/colour.ts';
import { lookTokens, type LookSettings } from '#shared/look.ts';

interface LookPreviewProps {
  readonly name: string;
  /** What is stored. */
  readonly settings: LookSettings;
}

/** How pages will look, in both themes, as the form around it is filled in: nothing needs saving to be seen. */
export function LookPreview({ name, settings }: LookPreviewProps): ReactNode {
  const t = useT('staffSettings');
  const box = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState(settings);
  // An effect, because the form's fields are read as the browser has them.
  useEffect(() => {
    const form = box.current?.closest('form');
    if (!form) return;
    const read = (): void => setTyped(readLook(new FormData(form), settings));
    read();
    form.addEventListener('input', read);
    return () => form.removeEventListener('input', read);
  }, [settings]);
  return (
    <div className="sp-looks" ref={box}>
      {THEMES.map((theme) => (
        <Pane key={theme} theme={theme} name={name} settings={typed} label={t(`lookPreview.${theme}`)} />
      ))}
    </div>
  );
}

function readLook(form: FormData, stored: LookSettings): LookSettings {
  const value = (key: keyof LookSettings): string => String(form.get(key) ?? stored[key]).trim();
  return { ...stored, accent_dark: value('accent_dark'), accent_light: value('accent_light') };
}

interface PaneProps extends LookPreviewProps {
  readonly theme: Theme;
  readonly label: string;
}

/** A small page of a theme. It is a picture: nothing in it can be reached. */
function Pane({ theme, name, settings, label }: PaneProps): ReactNode {
  const t = useT('staffSettings');
  const box = useRef<HTMLDivElement>(null);
  // An effect, because the policy of the page allows no style attributes: scripts set properties.
  useEffect(() => {
    const own = theme === 'dark' ? 'accent_dark' : 'accent_light';
    // What is typed and no colour yet looks as if nothing were there.
    const colour = isHexColour(settings[own]) ? settings[own] : OWN_ACCENT[theme];
    for (const [token, value] of Object.entries(lookTokens({ ...settings, [own]: colour }, theme)))
      box.current?.style.setProperty(token, value);
  }, [settings, theme]);
  return (
    <figure className="sp-look-frame">
      <div className="sp-look" data-theme={theme} inert ref={box}>
        <div className="sp-look__side">
          <Wordmark name={name} />
          <span className="sp-look__item" data-current="">
            <Icon name="home" size="sm" />
            {t('lookPreview.current')}
          </span>
          <span className="sp-look__item">
            <Icon name="server" size="sm" />
            {t('lookPreview.other')}
          </span>
        </div>
        <div className="sp-look__card">
          <b>{name}</b>
          <span className="sp-link">{t('lookPreview.link')}</span>
          <span className="sp-look__row">
            <span className="sp-btn" data-variant="primary" data-size="sm">
              {t('lookPreview.button')}
            </span>
            <span className="sp-look__ring">{t('lookPreview.focus')}</span>
          </span>
        </div>
      </div>
      <figcaption className="sp-meta">{label}</figcaption>
    </figure>
  );
}

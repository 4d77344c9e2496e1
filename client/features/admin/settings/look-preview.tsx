import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Wordmark } from '#client/ui/brand.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { OWN_ACCENT, THEMES, type Theme } from '#shared/themes.ts';
import { isHexColour } from '#shared/hex-colour.ts';
import { isPictureId, pictureUrl } from '#shared/picture-url.ts';
import { logoOf } from '#shared/logo.ts';
import { lookTokens } from '#shared/look.ts';
import { toLook, type ShownLook } from './shown-look.ts';

interface LookPreviewProps {
  readonly name: string;
  /** What is stored. */
  readonly settings: ShownLook;
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
    const read = (): void => {
      const fields = new FormData(form);
      setTyped(toLook((key) => String(fields.get(key) ?? '').trim()));
    };
    read();
    form.addEventListener('input', read);
    return () => form.removeEventListener('input', read);
  }, []);
  return (
    <div className="sp-looks" ref={box}>
      {THEMES.map((theme) => (
        <Pane key={theme} theme={theme} name={name} settings={typed} label={t(`lookPreview.${theme}`)} />
      ))}
    </div>
  );
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
    const { style } = box.current ?? {};
    for (const [token, value] of Object.entries(lookTokens({ ...settings, [own]: colour }, theme)))
      style?.setProperty(token, value);
    const { background_picture: picture, background_cover: cover } = settings;
    style?.setProperty('--bg-image', isPictureId(picture) ? `url("${pictureUrl(picture, 'narrow')}")` : 'none');
    style?.setProperty('--bg-opacity', String(cover / 100));
  }, [settings, theme]);
  return (
    <figure className="sp-look-frame">
      <div className="sp-look" data-theme={theme} inert ref={box}>
        <div className="sp-look__canvas">
          <div className="sp-look__side sp-glass-0">
            <Wordmark name={name} logo={logoOf({ ...settings }, theme)} />
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
      </div>
      <figcaption className="sp-meta">{label}</figcaption>
    </figure>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useHydrated, useScripted } from '#client/lib/use-hydrated.ts';
import { Card } from '#client/ui/card.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import type { MailPreviewView } from '#shared/contract/mail-templates.ts';

const LOOKS = ['phone', 'desktop', 'dark', 'text'] as const;
type Look = (typeof LOOKS)[number];

/**
 * A mail as its receiver sees it: on a phone, on a desktop, in dark mode, and as text; without scripts as text. In:
 * also the title of the card and a text below it, and what is shown first.
 */
export function MailPreview(props: { preview: MailPreviewView; title: string; text: string; first: Look }): ReactNode {
  const { preview, title, text, first } = props;
  const t = useT('staffMails');
  const hydrated = useHydrated();
  const scripted = useScripted();
  const [look, setLook] = useState<Look>(first);
  return (
    <Card title={title} text={text}>
      <div className="sp-mailprev">
        <div {...scripted}>
          <Segmented
            label={t('previewLook')}
            name="_look"
            value={look}
            onChange={(value) => setLook(LOOKS.find((each) => each === value) ?? first)}
            options={LOOKS.map((value) => ({ value, label: t(`look.${value}`) }))}
          />
        </div>
        <dl className="sp-mailprev__head">
          <dt>{t('to')}</dt>
          <dd>{preview.to}</dd>
          <dt>{t('subject')}</dt>
          <dd>
            <b>{preview.subject}</b>
          </dd>
        </dl>
        <div className="sp-mailprev__body">
          {!hydrated || look === 'text' ? (
            <p className="sp-mailtext" data-unscripted={!hydrated || undefined}>
              {preview.text}
            </p>
          ) : (
            <Frame key={look} preview={preview} look={look} />
          )}
        </div>
      </div>
    </Card>
  );
}

function Frame({ preview, look }: { preview: MailPreviewView; look: Look }): ReactNode {
  const t = useT('staffMails');
  const frame = useRef<HTMLIFrameElement>(null);
  // The page allows no styles in markup: they are set one by one, which it does allow. Before the frame has loaded there
  // is nothing to fill.
  useEffect(() => {
    if (frame.current?.contentDocument?.doctype) fillFrame(frame.current, preview, look === 'dark');
  }, [preview, look]);
  return (
    <iframe
      ref={frame}
      title={t('preview')}
      className="sp-mailprev__frame"
      data-look={look}
      sandbox="allow-same-origin"
      srcDoc="<!doctype html>"
      onLoad={(event) => fillFrame(event.currentTarget, preview, look === 'dark')}
    />
  );
}

/** Shows a mail in a frame, as high as it is. Nothing in it leads anywhere, and nothing in it runs. */
function fillFrame(frame: HTMLIFrameElement, preview: MailPreviewView, dark: boolean): void {
  const { contentDocument: inner, contentWindow: view } = frame;
  if (!inner || !view) return;
  const parsed = new DOMParser().parseFromString(preview.html, 'text/html');
  inner.documentElement.replaceChildren(...parsed.documentElement.childNodes);
  inner.documentElement.lang = parsed.documentElement.lang;
  for (const element of inner.querySelectorAll<HTMLElement>('[data-style]'))
    element.style.cssText = element.dataset.style ?? '';
  for (const link of inner.querySelectorAll('a')) link.removeAttribute('href');
  const { CSSStyleSheet: Sheet } = view as Window & typeof globalThis;
  const sheet = new Sheet();
  sheet.replaceSync(`:root{color-scheme:${dark ? 'dark' : 'light'}}${preview.style}${dark ? preview.dark_style : ''}`);
  inner.adoptedStyleSheets = [sheet];
  frame.style.height = `${inner.documentElement.scrollHeight}px`;
}

import { useEffect, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { Prose } from '#client/ui/prose.tsx';
import { LOCALE_INFO, LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';

/** How long after the last letter the preview is made anew. */
const PAUSE_MS = 300;

interface Shown {
  readonly locale: Locale;
  readonly title: string;
  readonly summary: string;
  readonly picture: string;
  readonly tags: readonly string[];
  readonly html: string;
}

/** How the announcement will look, by the server, in the language that was typed in last. Follows what is typed. */
export function Preview(props: { form: RefObject<HTMLFormElement | null>; first: Locale }): ReactNode {
  const t = useT('staffAnnouncements');
  const scripted = useScripted();
  const shown = usePreview(props);
  const { locale } = shown ?? { locale: props.first };
  return (
    <div {...scripted}>
      <Card title={t('preview')} aside={<span className="sp-meta">{LOCALE_INFO[locale].name}</span>}>
        {/* Of one height: what is below it stays where it is while somebody types. */}
        <section
          className="sp-newsedit__preview"
          aria-label={t('preview')}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
          tabIndex={0}
        >
          {shown !== null && <Article shown={shown} />}
        </section>
      </Card>
    </div>
  );
}

function Article({ shown: { locale, title, summary, picture, tags, html } }: { shown: Shown }): ReactNode {
  return (
    <div className="sp-article" lang={LOCALE_INFO[locale].lang}>
      {picture !== '' && (
        <img
          className="sp-article__picture"
          src={pictureUrl(picture, 'card')}
          srcSet={pictureSrcSet(picture, 'announcement')}
          sizes="(max-width: 1099px) 90vw, 26rem"
          alt=""
        />
      )}
      {tags.length > 0 && (
        <p className="sp-news__marks">
          {tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
      )}
      <p className="sp-news__title">
        <strong>{title}</strong>
      </p>
      {summary !== '' && <p className="sp-article__summary">{summary}</p>}
      <Prose html={html} />
    </div>
  );
}

/** What the form says now, with its text as HTML; null while it is not known. */
function usePreview({ form, first }: { form: RefObject<HTMLFormElement | null>; first: Locale }): Shown | null {
  const api = useApi();
  const [shown, setShown] = useState<Shown | null>(null);
  // An effect, because typing is heard as the browser tells it, and the server writes the HTML.
  useEffect(() => {
    const element = form.current;
    if (!element || !api) return undefined;
    let locale = first;
    let asked = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = async (): Promise<void> => {
      const own = (asked += 1);
      const data = new FormData(element);
      const text = (name: string): string => String(data.get(name) ?? '').trim();
      try {
        const { html } = await api.adminAnnouncements.preview({ body: { text: text(`body.${locale}`) } });
        const tags = [
          ...new Set(
            text('tags')
              .split(',')
              .map((tag) => tag.trim()),
          ),
        ].filter(Boolean);
        if (own === asked)
          setShown({
            locale,
            title: text(`title.${locale}`),
            summary: text(`summary.${locale}`),
            picture: text('picture'),
            tags,
            html,
          });
      } catch {
        // How it would look is no loss: the text stays.
      }
    };
    const later = (event: Event): void => {
      const name = event.target instanceof HTMLElement ? (event.target.getAttribute('name') ?? '') : '';
      locale = LOCALES.find((each) => name.endsWith(`.${each}`)) ?? locale;
      clearTimeout(timer);
      timer = setTimeout(() => void show(), PAUSE_MS);
    };
    void show();
    element.addEventListener('input', later);
    return () => {
      asked += 1;
      clearTimeout(timer);
      element.removeEventListener('input', later);
    };
  }, [api, form, first]);
  return shown;
}

import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useFetcher } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Prose } from '#client/ui/prose.tsx';
import type { SettingsAnswer } from './submit.ts';

/** How long after the last key a preview is made, ms. */
const PREVIEW_MS = 300;

/** A text as pages will show it, by the server, once somebody asks for it. In: the field that it is typed into. */
export function MarkdownPreview({ area }: { area: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const t = useT('staffSettings');
  const fetcher = useFetcher<SettingsAnswer>();
  const [follows, setFollows] = useState(false);
  const show = useEffectEvent((): void => {
    void fetcher.submit({ _intent: 'preview', text: area.current?.value ?? '' }, { method: 'post' });
  });
  // An effect, because typing is heard as the browser tells it; once somebody looks, the preview follows what is typed.
  useEffect(() => {
    const element = area.current;
    if (!follows || !element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (): void => {
      clearTimeout(timer);
      timer = setTimeout(show, PREVIEW_MS);
    };
    show();
    element.addEventListener('input', later);
    return () => {
      clearTimeout(timer);
      element.removeEventListener('input', later);
    };
  }, [follows, area]);
  return (
    <>
      {!follows && (
        <div>
          <Button size="sm" icon="eye" onClick={() => setFollows(true)}>
            {t('preview')}
          </Button>
        </div>
      )}
      {fetcher.data?.kind === 'preview' && (
        <section className="sp-set__preview" aria-label={t('preview')}>
          <Prose html={fetcher.data.html} />
        </section>
      )}
    </>
  );
}

import { useEffect, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { useApi } from '#client/lib/use-api.ts';
import { ANNOUNCEMENT_AUDIENCES } from '#shared/announcements.ts';

/** How long after the last change it is counted, in ms. */
const PAUSE_MS = 400;

/** How many users what the form says would be for, as of now. Empty until it is known, and where it cannot be. */
export function Reach({ form }: { form: RefObject<HTMLFormElement | null> }): ReactNode {
  const t = useT('staffAnnouncements');
  const format = useFormat();
  const api = useApi();
  const scripted = useScripted();
  const [reach, setReach] = useState<{ readonly count: number; readonly more: boolean } | null>(null);
  // An effect, because what is chosen is heard as the browser tells it, and counted by the server.
  useEffect(() => {
    const element = form.current;
    if (!element || !api) return undefined;
    let asked = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const count = async (): Promise<void> => {
      const data = new FormData(element);
      const audience = ANNOUNCEMENT_AUDIENCES.find((each) => each === data.get('audience')) ?? 'everyone';
      const targets = data.getAll(`targets.${audience}`).map(String).join(',');
      const question = `${audience} ${targets}`;
      if (question === asked) return;
      asked = question;
      try {
        const found = await api.adminAnnouncements.audience({ query: { audience, targets } });
        if (question === asked) setReach(found);
      } catch {
        // Whom it would reach is no loss: the choice stays.
        setReach(null);
      }
    };
    const later = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void count(), PAUSE_MS);
    };
    void count();
    element.addEventListener('input', later);
    return () => {
      asked = 'over';
      clearTimeout(timer);
      element.removeEventListener('input', later);
    };
  }, [api, form]);
  const number = format.number(reach?.count ?? 0);
  return (
    <div {...scripted}>
      <output className="sp-newsedit__reach">
        {reach && (reach.more ? t('reachMore', { number }) : t('reach', { count: reach.count, number }))}
      </output>
    </div>
  );
}

import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { recordedFetch } from '#client/lib/fetch.ts';
import { useT } from '#client/lib/i18n.tsx';
import { retryDelayS, isServerReachable } from '#client/lib/reconnect.ts';
import { isOwnPath } from '#client/lib/redirect-target.ts';
import { Icon } from '#client/ui/icon.tsx';
import { href } from '#shared/routes/href.ts';
import { SystemPage } from './system-page.tsx';

/** The page to return to (`?from=`); the dashboard if it is unknown, or is this page. */
function returnPath(from: string | null): string {
  return from !== null && isOwnPath(from) && !from.startsWith(href('ws')) ? from : href('dashboard');
}

/** /ws: the connection was lost. Retries with growing delays, and goes back by itself when the server responds. */
export default function LostScreen(): ReactNode {
  const t = useT('connection');
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const target = returnPath(params.get('from'));
  const [attempt, setAttempt] = useState(0);
  const [left, setLeft] = useState<number | null>(retryDelayS(0));
  const onAnswer = useEffectEvent((answers: boolean) => {
    if (answers) {
      void navigate(target, { replace: true });
      return;
    }
    setLeft(retryDelayS(attempt + 1));
    setAttempt(attempt + 1);
  });
  // An effect, because time and the server are outside React: counts down, then probes.
  useEffect(() => {
    if (left === null) {
      let gone = false;
      void isServerReachable(recordedFetch).then((answers) => gone || onAnswer(answers));
      return () => {
        gone = true;
      };
    }
    const timer = setTimeout(() => setLeft(left > 1 ? left - 1 : null), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <SystemPage
      scene="broken"
      title={t('title')}
      actions={
        <a
          className="sp-btn"
          data-variant="primary"
          data-size="lg"
          href={target}
          onClick={(event) => {
            event.preventDefault();
            setLeft(null);
          }}
        >
          <Icon name="refresh" />
          {t('now')}
        </a>
      }
    >
      <p>{t('text')}</p>
      <p>{t('back')}</p>
      <p className="sp-lead" role="timer" aria-live="off">
        {left === null ? t('trying') : t('wait', { count: left })}
      </p>
    </SystemPage>
  );
}

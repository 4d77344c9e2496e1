import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface EmptyStateProps {
  /** `spawn`: the empty pad, for "nothing yet"; an icon otherwise. */
  art?: 'spawn' | IconName;
  title: ReactNode;
  text?: ReactNode;
  /** The one thing to do next. */
  action?: ReactNode;
  as?: 'h1' | 'h2' | 'h3';
}

/** What this place is for and what to do next. */
export function EmptyState({ art = 'spawn', title, text, action, as: Title = 'h3' }: EmptyStateProps): ReactNode {
  return (
    <div className="sp-empty">
      {art === 'spawn' ? <SpawnArt /> : <Icon name={art} size="lg" />}
      <Title className="sp-empty__title">{title}</Title>
      {text !== undefined && <p className="sp-empty__text">{text}</p>}
      {action !== undefined && <div className="sp-btn-row">{action}</div>}
    </div>
  );
}

/** What happened, the request's id for support, and a way to try again. */
export function ErrorState(props: {
  title?: ReactNode;
  text?: ReactNode;
  requestId?: string | undefined;
  onRetry?: () => void;
}): ReactNode {
  const t = useT('ui');
  const { title, text, requestId, onRetry } = props;
  return (
    <div className="sp-empty" role="alert">
      <Icon name="alert" size="lg" />
      <h3 className="sp-empty__title">{title ?? t('loadFailed')}</h3>
      {text !== undefined && <p className="sp-empty__text">{text}</p>}
      {requestId && (
        <p className="sp-empty__text">
          <code>{t('requestId', { id: requestId })}</code>
        </p>
      )}
      {onRetry && (
        <div className="sp-btn-row">
          <Button icon="refresh" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        </div>
      )}
    </div>
  );
}

function SpawnArt(): ReactNode {
  return (
    <svg className="sp-empty__art" viewBox="0 0 88 60" aria-hidden="true">
      <g fill="none" strokeWidth="1.5" strokeLinejoin="round">
        <path className="sp-empty__pad" d="M44 14 84 34 44 54 4 34z" />
        <path className="sp-empty__grid" d="M24 24l40 20M64 24 24 44M34 19l40 20M54 19 14 39M14 29l40 20M74 29 34 49" />
      </g>
      <path className="sp-empty__spot" d="M44 24 54 29 44 34 34 29z" strokeWidth="1.5" strokeLinejoin="round" />
      <path className="sp-empty__beam" d="M44 2 38 11l6 17z" />
      <path className="sp-empty__beam" d="M44 2l6 9-6 17z" opacity=".62" />
    </svg>
  );
}

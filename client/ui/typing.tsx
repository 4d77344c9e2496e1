import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';

/** Who is typing, on a line that is there also while nobody does, so that nothing moves. In: their names. */
export function Typing({ names }: { names: readonly string[] }): ReactNode {
  const t = useT('tickets');
  return (
    <p className="sp-typing">
      {names.length > 0 && (
        <>
          <span className="sp-typing__dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {names.length === 1 ? t('typing', { name: names[0] ?? '' }) : t('typingMany', { names: names.join(', ') })}
        </>
      )}
    </p>
  );
}

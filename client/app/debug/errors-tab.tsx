import { useSyncExternalStore, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { journal, type ErrorEntry } from '#client/lib/journal.ts';
import { Button } from '#client/ui/button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { CopyText, EmptyTab, useTimeOfDay } from './parts.tsx';

interface Repeated {
  readonly last: ErrorEntry;
  readonly count: number;
}

/** The same error again and again is one row with a count. Newest first. */
export function groupErrors(errors: readonly ErrorEntry[]): readonly Repeated[] {
  const groups = new Map<string, Repeated>();
  for (const error of errors) {
    const name = `${error.text}\n${error.stack}`;
    const known = groups.get(name);
    groups.set(name, known ? { ...known, count: known.count + 1 } : { last: error, count: 1 });
  }
  return [...groups.values()];
}

/** Uncaught errors, newest first, with their stacks. */
export function ErrorsTab(): ReactNode {
  const t = useT('debug');
  const clock = useTimeOfDay();
  const errors = useSyncExternalStore(journal.subscribe, journal.errors);
  if (errors.length === 0) return <EmptyTab title={t('noErrors')} text={t('noErrorsText')} />;
  return (
    <div className="sp-debug__list">
      <div className="sp-debug__tools" data-end="">
        <CopyText text={() => errors.map(({ text, stack }) => `${text}\n${stack}`).join('\n')}>{t('copyAll')}</CopyText>
        <Button size="sm" variant="ghost" icon="trash" onClick={() => journal.clear('errors')}>
          {t('clear')}
        </Button>
      </div>
      <ul className="sp-debug__rows">
        {groupErrors(errors).map(({ last, count }) => (
          <li key={last.id} className="sp-debug__error">
            <Icon name="circle-alert" />
            <div>
              <b>{last.text}</b>
              <span className="sp-meta">{`${t('times', { count })} · ${clock(last.atMs)}`}</span>
              {last.stack !== '' && (
                <details>
                  <summary>{t('stack')}</summary>
                  <pre className="sp-debug__pre">{last.stack}</pre>
                </details>
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

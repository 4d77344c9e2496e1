import { useEffect, useId, useRef } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useFormErrors } from './form-context.ts';

/** A summary of the errors above a form; takes the focus when it appears or changes. */
export function ErrorSummary(props: {
  problem?: string | undefined;
  labels?: Readonly<Record<string, string>>;
}): ReactNode {
  const { problem, labels = {} } = props;
  const t = useT('ui');
  const { errors, formId, translate } = useFormErrors();
  const titleId = useId();
  const box = useRef<HTMLElement>(null);
  const list = Object.entries(errors);
  const shown = list.length > 0 || Boolean(problem);
  // By content, not by identity: a new but equal object must not take the focus from what is being typed.
  const content = shown ? JSON.stringify([problem, list]) : '';
  useEffect(() => {
    if (content) box.current?.focus();
  }, [content]);
  if (!shown) return null;
  return (
    <section className="sp-error-sum" aria-labelledby={titleId} tabIndex={-1} ref={box}>
      <p className="sp-strong" id={titleId}>
        {problem ?? t('errorsTitle', { count: list.length })}
      </p>
      {list.length > 0 && (
        <ul>
          {list.map(([field, code]) => (
            <li key={field}>
              <a className="sp-link" href={`#${formId}-${field}`}>
                {labels[field] ? `${labels[field]}: ` : ''}
                {translate(code, field)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

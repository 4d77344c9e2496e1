import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';

/** One step of a process. */
export interface Step {
  id: string;
  label: ReactNode;
  state: 'done' | 'current' | 'todo' | 'error';
  /** Where the step is, on this page or another. */
  href?: string;
  text?: ReactNode;
}

/** The steps of a process and the current one. */
export function Stepper(props: { label: string; steps: readonly Step[] }): ReactNode {
  const t = useT('ui');
  const { steps } = props;
  return (
    <ol className="sp-stepper" aria-label={props.label}>
      {steps.map((step, index) => {
        const inner = (
          <>
            <span className="sp-sr">{t('step', { n: index + 1, total: steps.length })}: </span>
            <span className="sp-stepper__label">{step.label}</span>
            {step.state === 'done' && <span className="sp-sr">, {t('stepDone')}</span>}
            {step.state === 'error' && <span className="sp-sr">, {t('stepError')}</span>}
          </>
        );
        return (
          <li key={step.id} data-state={step.state} aria-current={step.state === 'current' ? 'step' : undefined}>
            {step.href === undefined ? (
              <span className="sp-stepper__item">{inner}</span>
            ) : (
              <a className="sp-stepper__item" href={step.href}>
                {inner}
              </a>
            )}
            {step.text !== undefined && <span className="sp-meta">{step.text}</span>}
          </li>
        );
      })}
    </ol>
  );
}

import { useContext, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { requestTurnstileToken, solvePuzzle } from '#client/lib/challenge.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { TextLoaderContext } from '#client/lib/text-loader.ts';
import { useApi } from '#client/lib/use-api.ts';
import type { Api } from '#shared/contract/index.ts';
import { Button } from './button.tsx';

export type ChallengeAction = 'register' | 'login' | 'link' | 'report';
interface ChallengeProps {
  readonly action: ChallengeAction;
  /** The refusal that asked for it; each new one restarts the challenge. */
  readonly answer: FormFailure;
}
type Stage = 'working' | 'sending' | 'failed';

/** Refusals in a row after which it waits for a click, so that a form that submits itself does not loop forever. */
const MAX_ROUNDS = 2;

/**
 * Answers the challenge of a form (behaviour 4.6) and sends the form again: proof of work in a worker, or Turnstile's
 * widget. Rendered inside the form, whose fields keep their values. Loaded when a command was refused because it is
 * missing.
 */
export function Challenge(props: ChallengeProps): ReactNode {
  const load = useContext(TextLoaderContext);
  const [textsLoaded, setTextsLoaded] = useState(false);
  const [round, setRound] = useState(0);
  // Pages do not come with these texts: few visitors ever see them.
  useEffect(() => {
    void load(['challenge']).then(() => setTextsLoaded(true));
  }, [load]);
  return textsLoaded && <Attempt key={round} {...props} again={() => setRound(round + 1)} />;
}

function Attempt({ action, answer, again }: ChallengeProps & { again: () => void }): ReactNode {
  const t = useT('challenge');
  const api = useApi();
  const field = useRef<HTMLInputElement>(null);
  const container = useRef<HTMLDivElement>(null);
  const rounds = useRef(0);
  const [stage, setStage] = useState<Stage>('working');
  useEffect(() => {
    const [input, widget] = [field.current, container.current];
    if (!api || !input || !widget) return;
    const end = new AbortController();
    const work = async (): Promise<void> => {
      rounds.current += 1;
      input.value = '';
      setStage('working');
      try {
        if (rounds.current > MAX_ROUNDS && answer.code === 'CHALLENGE_FAILED') throw new Error('refused again');
        const text = await requestSolution(api, action, widget, end.signal);
        if (end.signal.aborted) return;
        input.value = text;
        setStage('sending');
        input.form?.requestSubmit();
      } catch {
        if (!end.signal.aborted) setStage('failed');
      }
    };
    void work();
    return () => end.abort();
  }, [api, action, answer]);
  return (
    <div className="sp-field">
      <input ref={field} type="hidden" name="challenge" defaultValue="" />
      <output className="sp-field__hint">{t(stage)}</output>
      <div ref={container} hidden={stage !== 'working'} />
      {stage === 'failed' && <Button onClick={again}>{t('retry')}</Button>}
    </div>
  );
}

/** The solution of the challenge that the server asks for; '' if it asks for none. */
async function requestSolution(
  api: Api,
  action: ChallengeAction,
  widget: HTMLElement,
  signal: AbortSignal,
): Promise<string> {
  const offer = await api.challenge.offer({ query: { action } });
  if (signal.aborted || offer.kind === 'off') return '';
  if (offer.kind === 'altcha') return solvePuzzle(offer.puzzle, signal);
  return requestTurnstileToken(widget, { siteKey: offer.site_key, script: offer.script, action }, signal);
}

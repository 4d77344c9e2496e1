import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { PASSKEY_FIELD } from '#client/lib/passkey-field.ts';
import { useApi } from '#client/lib/use-api.ts';
import { usePasskeySupport } from '#client/lib/use-passkey-support.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import { Button, type ButtonStyle } from './button.tsx';

/** The browser's side, loaded when it is used. */
type Ceremonies = typeof import('#client/lib/passkey.ts');

interface PasskeyButtonProps extends ButtonStyle {
  /** The domain that passkeys belong to; null where there are none. */
  readonly domain: string | null;
  /** `_intent` of what is sent. */
  readonly intent: string;
  /** Asks the API and the authenticator; what it gives is sent to the page's action (`submitPasskey`). */
  readonly run: (api: Api, passkeys: Ceremonies) => Promise<object>;
  /** Offers passkeys in the list of the name's field as well: the same, for the list. The same function at each render. */
  readonly autofill?: PasskeyButtonProps['run'];
}

/**
 * A button that has a passkey used or made, and sends the outcome as a form. Its place is kept where the browser cannot
 * do that, so that nothing moves when the scripts come.
 */
export function PasskeyButton({ domain, intent, run, autofill, ...style }: PasskeyButtonProps): ReactNode {
  const supported = usePasskeySupport(domain);
  const { busy, problem, start } = useCeremony(intent, run);
  // One ceremony at a time: what waits in the list ends when the button is pressed, and begins anew afterwards.
  useAutofill(supported && !busy, intent, autofill);
  if (domain === null) return null;
  return (
    <div className="sp-passkey" data-off={supported ? undefined : ''}>
      <Button icon="key" {...style} busy={busy} onClick={start} />
      <output className="sp-passkey__problem">{problem}</output>
    </div>
  );
}

const loadCeremonies = (): Promise<Ceremonies> => import('#client/lib/passkey.ts');
const toForm = (intent: string, outcome: object): FormData => {
  const form = new FormData();
  form.set('_intent', intent);
  form.set(PASSKEY_FIELD, JSON.stringify(outcome));
  return form;
};

/** Runs a ceremony and sends its outcome; what the browser or the API refused, in words. */
function useCeremony(intent: string, run: PasskeyButtonProps['run']) {
  const t = useT('passkeys');
  const errors = useErrorText();
  const api = useApi();
  const submit = useSubmit();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const wordsOf = (error: unknown): string => {
    if (error instanceof ApiError) return errors.code(error.code);
    const name = error instanceof Error ? error.name : '';
    if (name === 'InvalidStateError') return t('known');
    return t(name === 'NotAllowedError' || name === 'AbortError' ? 'cancelled' : 'failed');
  };
  const perform = async (): Promise<void> => {
    if (!api) return;
    setBusy(true);
    setProblem('');
    try {
      await submit(toForm(intent, await run(api, await loadCeremonies())), { method: 'post' });
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, start: () => void perform() };
}

/** Offers passkeys in the list of the field of the name while `active`. */
function useAutofill(active: boolean, intent: string, autofill: PasskeyButtonProps['autofill']): void {
  const api = useApi();
  const submit = useSubmit();
  useEffect(() => {
    if (!active || !api || !autofill) return;
    const ended = loadCeremonies().then(
      (passkeys) =>
        passkeys.offerPasskeys(
          () => autofill(api, passkeys),
          (outcome) => submit(toForm(intent, outcome), { method: 'post' }),
        ),
      () => undefined,
    );
    return () => void ended.then((end) => end?.());
  }, [active, api, intent, autofill, submit]);
}

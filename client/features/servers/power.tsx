import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import type { IconName } from '#client/ui/icons.ts';
import type { POWER_SIGNALS } from '#shared/schemas/server.ts';
import type { LiveAnswer } from './use-usage.ts';

type Signal = (typeof POWER_SIGNALS)[number];
/** A signal that was sent but has no visible effect yet. `atMs`: the page's time. */
export interface SentSignal {
  readonly signal: Signal;
  readonly atMs: number;
}
type Power = NonNullable<LiveAnswer['usage']>['power'];

/** How long a signal counts as pending; the panel's numbers may be 20 s old. */
export const SIGNAL_TIMEOUT_MS = 60_000;

/** Whether a sent signal is still pending, by the numbers. */
export function isSignalPending(sent: SentSignal | null, answer: LiveAnswer | null, nowMs: number): boolean {
  if (!sent || nowMs - sent.atMs >= SIGNAL_TIMEOUT_MS) return false;
  const { usage, at } = answer ?? { usage: null, at: null };
  if (!usage || at === null || Date.parse(at) <= sent.atMs) return true;
  if (sent.signal === 'stop' || sent.signal === 'kill') return usage.power !== 'offline';
  if (sent.signal === 'start') return usage.power === 'offline';
  const youngerThanSignal = usage.uptime_s * 1000 <= Date.parse(at) - sent.atMs + 5000;
  return !(usage.power === 'starting' || (usage.power === 'running' && youngerThanSignal));
}

/** Whether a signal is applicable in a state; all are while the state is unknown. */
function isApplicable(signal: Signal, power: Power | null): boolean {
  if (power === null || power === 'unknown') return true;
  if (signal === 'kill') return power !== 'offline';
  return signal === 'start' ? power === 'offline' : power === 'running' || power === 'starting';
}

/** Killing is the last resort: it never waits for another signal. */
function isDisabled(signal: Signal, busy: unknown, power: Power | null): boolean {
  if (busy === signal) return false;
  return (busy !== null && signal !== 'kill') || !isApplicable(signal, power);
}

const BUTTONS = [
  { signal: 'start', icon: 'play' },
  { signal: 'restart', icon: 'refresh' },
  { signal: 'stop', icon: 'square' },
  { signal: 'kill', icon: 'x' },
] as const satisfies readonly { signal: Signal; icon: IconName }[];

interface PowerProps {
  name: string;
  power: Power | null;
  /** The pending signal. */
  pending: Signal | null;
  onSend: (signal: Signal) => void;
}

/**
 * Start, restart, stop, kill. Each is a plain form button, so they work without scripts; with scripts, signals that
 * disconnect players ask first, and a button spins until its effect shows.
 */
export function PowerButtons({ name, power, pending, onSend }: PowerProps): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const fetcher = useFetcher<FormResult<unknown>>();
  const refused = fetcher.state === 'idle' && fetcher.data?.ok === false ? fetcher.data.code : null;
  const busy =
    fetcher.state === 'idle' ? (refused === null ? pending : null) : (fetcher.formData?.get('signal') ?? null);
  const send = async (signal: Signal): Promise<void> => {
    const ask = {
      start: null,
      restart: { title: t('askRestart', { name }), text: t('askRestartText'), ok: t('restart') },
      stop: { title: t('askStop', { name }), text: t('askStopText'), ok: t('stop'), tone: 'danger' as const },
      kill: { title: t('askKill', { name }), text: t('askKillText'), ok: t('kill'), tone: 'danger' as const },
    }[signal];
    if (ask && !(await dialogs.confirm(ask))) return;
    onSend(signal);
    await fetcher.submit({ _intent: 'power', signal }, { method: 'post' });
  };
  return (
    <fetcher.Form method="post" className="sp-power">
      <input type="hidden" name="_intent" value="power" />
      <fieldset className="sp-power__row" aria-label={t('buttons')}>
        {BUTTONS.map(({ signal, icon }) => (
          <Button
            key={signal}
            type="submit"
            name="signal"
            value={signal}
            icon={icon}
            busy={busy === signal}
            disabled={isDisabled(signal, busy, power)}
            onClick={(event) => {
              event.preventDefault();
              void send(signal);
            }}
          >
            {busy === signal ? t(`pending.${signal}`) : t(signal)}
          </Button>
        ))}
      </fieldset>
      {refused !== null && (
        <p className="sp-field__error" role="alert">
          {errors.code(refused)}
        </p>
      )}
      <output className="sp-sr">
        {busy !== null && pending !== null && fetcher.state === 'idle' ? t(`sent.${pending}`) : ''}
      </output>
    </fetcher.Form>
  );
}

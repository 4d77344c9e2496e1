import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { BalanceCounter } from '#client/ui/balance-counter.tsx';
import { Bar } from '#client/ui/bar.tsx';
import { Button } from '#client/ui/button.tsx';
import { useTimeLeft } from '#client/ui/countdown.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import type { AfkState } from '#shared/contract/earn.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { AfkDial, slabPlan } from './afk-dial.tsx';
import { hasSession } from './afk-machine.ts';
import { AfkAbout, AfkStatus, displayedPhase } from './afk-status.tsx';
import type { AfkClient, AfkSnapshot } from './afk-types.ts';
import { useCountedTime } from './use-afk.ts';

/** `2:47` and `18` of a span: hours and minutes, then the seconds. */
export function clockParts(ms: number): readonly [string, string] {
  const seconds = Math.floor(Math.max(0, ms) / SECOND);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return [`${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}`, pad(seconds % 60)];
}

/** `0:42` until a payout: rounded up, so that zero means now. */
function untilParts(ms: number): string {
  const seconds = Math.ceil(ms / SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

interface ClockProps {
  state: AfkState;
  shown: AfkSnapshot;
  client: AfkClient;
}

/** The clock: the dial on one side, the numbers and the button on the other. */
export function AfkClock({ state, shown, client }: ClockProps): ReactNode {
  const t = useT('earn');
  const format = useFormat();
  const running = shown.phase === 'running';
  const { countedMs, nextPayoutMs } = useCountedTime(shown.progress, running);
  const holding = hasSession(shown.phase);
  const seconds = holding ? (MINUTE - Math.min(MINUTE, nextPayoutMs)) / SECOND : 0;
  const { cap, per_minute: perMinute } = state;
  const { earnedToday } = shown.progress;
  const plan = slabPlan(cap, perMinute);
  const words = { count: Math.floor(seconds), earned: format.number(earnedToday), cap: format.number(cap) };
  const resting = shown.phase === 'full' || shown.phase === 'budget';
  const untilReset = useReset(state, resting);
  const [big, small] = clockParts(resting ? untilReset : countedMs);
  return (
    <section className="sp-card sp-afk" aria-labelledby="afk-clock">
      <h2 className="sp-sr" id="afk-clock">
        {t('clock')}
      </h2>
      <div className="sp-afk__dial">
        <AfkDial
          seconds={seconds}
          running={running}
          earnedToday={earnedToday}
          cap={cap}
          perMinute={perMinute}
          label={t(cap > 0 ? 'dial' : 'dialOpen', words)}
        />
        <p>
          {cap === 0
            ? t('dialLegendOpen')
            : plan.hours
              ? t('dialLegend')
              : t('dialLegendParts', { each: format.number(plan.each) })}
        </p>
      </div>
      <div className="sp-afk__read">
        <div className="sp-afk__now">
          <AfkStatus phase={displayedPhase(shown)} />
          <p className="sp-afk__big" data-still={running ? undefined : ''} role="timer">
            {big}
            <span>:{small}</span>
          </p>
          <p>
            <AfkAbout shown={shown} resetsAt={state.resets_at} />
          </p>
        </div>
        <Facts state={state} shown={shown} nextPayoutMs={nextPayoutMs} />
        <div className="sp-afk__act">
          <p className="sp-afk__mini" aria-hidden="true">
            <b>{`${big}:${small}`}</b>
            <span>
              {running
                ? t('miniNext', { time: t('nextIn', { time: untilParts(nextPayoutMs) }) })
                : t(`state.${displayedPhase(shown)}`)}
            </span>
          </p>
          <Actions shown={shown} client={client} />
        </div>
      </div>
    </section>
  );
}

/** Milliseconds until the day's counters reset, counted only while the page waits for that; then reloads. */
function useReset(state: AfkState, waiting: boolean): number {
  const { revalidate } = useRevalidator();
  return useTimeLeft(waiting ? Date.parse(state.resets_at) : 0, Date.parse(state.now), () => void revalidate());
}

function Facts(props: { state: AfkState; shown: AfkSnapshot; nextPayoutMs: number }): ReactNode {
  const { state, shown, nextPayoutMs } = props;
  const t = useT('earn');
  const format = useFormat();
  const { session } = useShell();
  const { earned, earnedToday } = shown.progress;
  const holding = hasSession(shown.phase);
  return (
    <dl className="sp-afk__facts">
      <div>
        <dt>{t('nextCredit')}</dt>
        <dd>{!holding ? '–' : nextPayoutMs > 0 ? t('nextIn', { time: untilParts(nextPayoutMs) }) : t('nextNow')}</dd>
        <dd className="sp-afk__wide">
          <Bar value={holding ? 1 - Math.min(1, nextPayoutMs / MINUTE) : 0} tone="accent" />
        </dd>
      </div>
      <div>
        <dt>{t('earnedSession')}</dt>
        <dd>
          <CreditAmount value={earned} />
        </dd>
      </div>
      <div>
        <dt>{t('today')}</dt>
        <dd>
          <CreditAmount value={earnedToday} />{' '}
          {state.cap > 0 && <small>{t('ofCap', { cap: format.number(state.cap) })}</small>}
        </dd>
        {state.cap > 0 && (
          <dd className="sp-afk__wide">
            <Left
              state={state}
              earnedToday={earnedToday}
              running={shown.phase === 'running'}
              nextPayoutMs={nextPayoutMs}
            />
          </dd>
        )}
      </div>
      <div>
        <dt>{t('balance')}</dt>
        <dd>
          <BalanceCounter value={session.balance} />
        </dd>
      </div>
    </dl>
  );
}

/** How much of today's cap is left, and when it will be reached if the clock goes on. */
function Left(props: { state: AfkState; earnedToday: number; running: boolean; nextPayoutMs: number }): ReactNode {
  const { state, earnedToday, running } = props;
  const t = useT('earn');
  const format = useFormat();
  const left = Math.max(0, state.cap - earnedToday);
  const reset = format.time(state.resets_at);
  const minutes = Math.floor(left / state.per_minute);
  if (minutes === 0) return t('capReached', { reset });
  const fullMs = Date.parse(state.now) + minutes * MINUTE;
  if (!running || fullMs >= Date.parse(state.resets_at)) return t('left', { left: format.number(left), reset });
  return t('leftFullAt', { left: format.number(left), time: format.time(fullMs), reset });
}

/** The main action now, and a second one if there is one. */
function Actions({ shown, client }: { shown: AfkSnapshot; client: AfkClient }): ReactNode {
  const t = useT('earn');
  const start = (): void => void client.start();
  switch (shown.phase) {
    case 'checking':
    case 'off':
    case 'starting':
    case 'unverified':
      return (
        <Button
          variant="primary"
          size="lg"
          block
          icon="play"
          onClick={start}
          disabled={!shown.ready || shown.phase === 'checking'}
          busy={shown.phase === 'starting'}
        >
          {t('start')}
        </Button>
      );
    case 'elsewhere':
      return (
        <Button variant="primary" size="lg" block icon="undo" onClick={start}>
          {t(shown.device === null ? 'runHere' : 'resumeHere')}
        </Button>
      );
    case 'reconnecting':
      return (
        <>
          <Button variant="primary" size="lg" icon="refresh" onClick={client.tryNow}>
            {t('tryNow')}
          </Button>
          <Button size="lg" icon="square" onClick={() => void client.stop()}>
            {t('stop')}
          </Button>
        </>
      );
    case 'connecting':
    case 'running':
    case 'stopping':
      return (
        <Button size="lg" block icon="square" onClick={() => void client.stop()} busy={shown.phase === 'stopping'}>
          {t('stop')}
        </Button>
      );
    case 'full':
    case 'budget':
    case 'closed':
      return null;
  }
}

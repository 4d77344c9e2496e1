import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { deviceNow } from '#client/lib/clock.ts';
import { splitDuration } from '#client/lib/format.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';

interface CountdownProps {
  /** The end, by the server's clock. */
  untilMs: number;
  /** The server's clock when this was rendered. */
  nowMs: number;
  size?: 'xl';
  /** Called once when the end is reached. */
  onEnd?: () => void;
}

/** Time left until a moment. It runs on the server's clock; the device only measures the time elapsed. */
export function Countdown({ untilMs, nowMs, size, onEnd }: CountdownProps): ReactNode {
  const t = useT('ui');
  const format = useFormat();
  const left = useTimeLeft(untilMs, nowMs, onEnd);
  const { days, hours, minutes, seconds } = splitDuration(left);
  const parts: readonly (readonly [number, string])[] =
    days > 0
      ? [
          [days, t('unitDay')],
          [hours, t('unitHour')],
        ]
      : hours > 0
        ? [
            [hours, t('unitHour')],
            [minutes, t('unitMinute')],
          ]
        : [
            [minutes, t('unitMinute')],
            [seconds, t('unitSecond')],
          ];
  return (
    <span className="sp-countdown" data-size={size} role="timer">
      <span className="sp-sr">{t('timeLeft', { time: format.duration(left) })}</span>
      {parts.map(([n, unit]) => (
        <span className="sp-countdown__part" aria-hidden="true" key={unit}>
          {String(n).padStart(2, '0')} <i>{unit}</i>
        </span>
      ))}
    </span>
  );
}

/** Milliseconds left, renewed every second; never below zero. */
export function useTimeLeft(untilMs: number, nowMs: number, onEnd?: () => void): number {
  const countdownId = `${untilMs}/${nowMs}`;
  const [passed, setPassed] = useState({ id: countdownId, ms: 0 });
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const start = deviceNow();
    if (untilMs <= nowMs) return;
    const timer = setInterval(() => {
      const now = Math.max(0, deviceNow() - start);
      setPassed({ id: countdownId, ms: now });
      if (now < untilMs - nowMs) return;
      clearInterval(timer);
      end.current?.();
    }, 1000);
    return () => clearInterval(timer);
  }, [countdownId, untilMs, nowMs]);
  // The time elapsed belongs to one countdown only.
  return Math.max(0, untilMs - nowMs - (passed.id === countdownId ? passed.ms : 0));
}

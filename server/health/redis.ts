import { defineCheck, span, type HealthCheck } from '#server/modules/health/index.ts';

interface Deps {
  /** What several processes share the rate limits of panels and visitors through; null where they do not. */
  readonly redis: { send(command: string, args: string[]): Promise<unknown> } | null;
}

/** An answer to the smallest question takes longer than this. */
const SLOW_MS = 250;

/** Whether Redis answers; no row where there is none. */
export function redisCheck({ redis }: Deps): HealthCheck {
  return defineCheck({
    key: 'redis',
    codes: { ok: 'ok', slow: 'warning', away: 'warning' },
    async run() {
      if (!redis) return [];
      const started = performance.now();
      try {
        await redis.send('PING', []);
      } catch {
        return { code: 'away' };
      }
      const took = performance.now() - started;
      return { code: took > SLOW_MS ? 'slow' : 'ok', facts: { took: span(took) }, figure: Math.round(took) };
    },
  });
}

import { defineCheck, type HealthCheck } from '#server/modules/health/index.ts';
import type { SettingValues } from '#shared/settings.ts';

/** Keys that Cloudflare gives to everybody to try Turnstile with: they let through, refuse or fail whoever comes. */
const TEST_KEY = /^[123]x0{15,}[A-F]{2}$/;

interface Deps {
  readonly settings: { current(): Pick<SettingValues, 'challenge' | 'turnstile_site_key' | 'turnstile_secret'> };
}

/** Whether the challenge before registration and log-in (behaviour 4.6) can tell people from programs. */
export function challengeCheck({ settings }: Deps): HealthCheck {
  return defineCheck({
    key: 'challenge',
    codes: { ok: 'ok', none: 'ok', test: 'warning' },
    run() {
      const { challenge, turnstile_site_key: siteKey, turnstile_secret: secret } = settings.current();
      const isTest = challenge === 'turnstile' && [siteKey, secret].some((key) => TEST_KEY.test(key));
      return Promise.resolve({ code: isTest ? 'test' : challenge === 'off' ? 'none' : 'ok' });
    },
  });
}

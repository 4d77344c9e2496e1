import { maskUrl } from '#shared/mask.ts';
import type { DebugInfo } from '#shared/debug-info.ts';
import type { KeyOf, TFn } from '#shared/i18n/types.ts';
import { matchKnownRoute } from '#client/lib/known-routes.ts';
import type { DebugHost } from './toggle.ts';

interface Fact {
  readonly label: string;
  readonly value: string;
}
export interface FactGroup {
  readonly id: 'page' | 'visitor' | 'speed' | 'server' | 'flags' | 'settings';
  readonly facts: readonly Fact[];
}
/** What the browser measured, in milliseconds and bytes; null: not measured. */
export interface PageMetrics {
  readonly firstByte: number | null;
  readonly firstPaint: number | null;
  readonly largestPaint: number | null;
  readonly dom: number | null;
  readonly loaded: number | null;
  /** Time beyond 50 ms of every long task, summed up. */
  readonly blocked: number | null;
  /** No unit; 0 is best. */
  readonly shift: number | null;
  readonly resources: number;
  readonly transferred: number;
  readonly memory: number | null;
}

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

/** Measures the page now. In: the observed paints, shifts and long tasks. */
export function measurePage(seen: {
  readonly paints: readonly PerformanceEntry[];
  readonly shifts: readonly PerformanceEntry[];
  readonly tasks: readonly PerformanceEntry[] | null;
}): PageMetrics {
  const navigation = performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined;
  const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const { memory } = performance as { memory?: { usedJSHeapSize: number } };
  const after = (ms: number | undefined) => (ms ? ms : null);
  return {
    firstByte: after(navigation?.responseStart),
    dom: after(navigation?.domContentLoadedEventEnd),
    loaded: after(navigation?.loadEventEnd),
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
    largestPaint: seen.paints.at(-1)?.startTime ?? null,
    shift: (seen.shifts as readonly Shift[]).reduce((sum, each) => sum + (each.hadRecentInput ? 0 : each.value), 0),
    blocked: seen.tasks?.reduce((sum, each) => sum + Math.max(0, each.duration - 50), 0) ?? null,
    resources: files.length,
    transferred: files.reduce((sum, file) => sum + file.transferSize, navigation?.transferSize ?? 0),
    memory: memory?.usedJSHeapSize ?? null,
  };
}

/** The facts that the App tab and the report show. */
export function collectFacts(host: DebugHost, t: TFn<'debug'>, figures: PageMetrics): FactGroup[] {
  const { boot, stores } = host;
  const session = stores.session();
  const fact = (key: string, value: string | number | null | undefined): Fact => ({
    label: t(`fact.${key}` as KeyOf<'debug'>),
    value: value === null || value === undefined || value === '' ? t('unknown') : String(value),
  });
  const ms = (value: number | null) => (value === null ? null : t('ms', { value: Math.round(value) }));
  const kb = (value: number | null) => (value === null ? null : t('kb', { value: Math.round(value / 1024) }));
  return [
    {
      id: 'page',
      facts: [
        fact('build', boot.build),
        fact('version', boot.settings.app_version === undefined ? null : String(boot.settings.app_version)),
        fact('route', matchKnownRoute(location.pathname)?.id),
        fact('address', maskUrl(location.href)),
        fact('locale', stores.translator().locale),
        fact('theme', stores.theme()),
        fact('timeZone', boot.timeZone),
        fact('requestId', boot.requestId),
        fact('browser', navigator.userAgent),
        fact('screen', `${innerWidth} × ${innerHeight}`),
      ],
    },
    {
      id: 'visitor',
      facts: [
        fact('user', session ? String(session.user_info.username ?? '') : t('guest')),
        ...(session
          ? [fact('role', String(session.user_info.role ?? '')), fact('permissions', session.permissions.length)]
          : []),
      ],
    },
    {
      id: 'speed',
      facts: [
        fact('firstByte', ms(figures.firstByte)),
        fact('firstPaint', ms(figures.firstPaint)),
        fact('largestPaint', ms(figures.largestPaint)),
        fact('dom', ms(figures.dom)),
        fact('loaded', ms(figures.loaded)),
        fact('blocked', ms(figures.blocked)),
        fact('shift', figures.shift === null ? null : figures.shift.toFixed(3)),
        fact('resources', figures.resources),
        fact('transferred', kb(figures.transferred)),
        fact('memory', kb(figures.memory)),
      ],
    },
    { id: 'server', facts: serverFacts(boot.debug, t) },
    { id: 'flags', facts: Object.entries(boot.flags).map(([label, on]) => ({ label, value: t(on ? 'on' : 'off') })) },
    {
      id: 'settings',
      facts: Object.entries(boot.settings)
        .filter(([name]) => !(name in boot.flags))
        .map(([label, value]) => ({ label, value: String(value) })),
    },
  ];
}

/** The debug info of the server (specification, section 3). Fields that the visitor may not see are empty, and left out. */
function serverFacts(info: DebugInfo, t: TFn<'debug'>): Fact[] {
  const { debug, ...plain } = info;
  const values = {
    ...plain,
    'debug.useRedis': debug.useRedis,
    'debug.rateLimit': debug.rateLimit.enabled && debug.rateLimit.limit,
  };
  return Object.entries(values)
    .filter(([, value]) => value !== '' && value !== null)
    .map(([label, value]) => ({ label, value: typeof value === 'boolean' ? t(value ? 'on' : 'off') : String(value) }));
}

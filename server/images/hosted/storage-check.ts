import { defineCheck, span, type HealthCheck } from '#server/modules/health/index.ts';

interface Deps {
  /** The storage that new images go to; null: they lie in the data folder. */
  readonly place: () => {
    readonly storage: { find(name: string): Promise<unknown> };
    readonly prefix: string;
  } | null;
}

/** Whether the storage of images answers, and knows our key: it is asked about an object that need not be there. */
export function imageStorageCheck({ place }: Deps): HealthCheck {
  return defineCheck({
    key: 'imageStorage',
    codes: { ok: 'ok', folder: 'ok', refused: 'warning', away: 'warning' },
    async run() {
      const at = place();
      if (!at) return { code: 'folder' };
      const started = performance.now();
      try {
        await at.storage.find(`${at.prefix}spawnpoint-health`);
      } catch (error) {
        return { code: (error as { code?: unknown }).code === 'remote_refused' ? 'refused' : 'away' };
      }
      const took = performance.now() - started;
      return { code: 'ok', facts: { took: span(took) }, figure: Math.round(took) };
    },
  });
}

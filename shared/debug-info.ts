import * as z from 'zod/mini';

/**
 * Debug info (specification, section 3). Texts are empty, and `useRedis` is null, for visitors without the right
 * (shared/decisions/002).
 */
export const debugInfo = z.object({
  debug_debug: z.boolean(),
  debug_version: z.string(),
  debug_os: z.string(),
  debug_os_kernel: z.string(),
  debug_name: z.string(),
  debug_telemetry: z.boolean(),
  debug: z.object({
    useRedis: z.nullable(z.boolean()),
    /** Requests a minute. */
    rateLimit: z.object({ enabled: z.boolean(), limit: z.int() }),
  }),
});
export type DebugInfo = z.output<typeof debugInfo>;

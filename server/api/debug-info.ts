import { LIMITS } from '#shared/limits.ts';
import type { DebugInfo } from '#shared/debug-info.ts';

/** What is known of the process and its machine. */
interface MachineFacts {
  readonly version: string;
  readonly os: string;
  readonly kernel: string;
  /** Lines of the log for developers are on. */
  readonly debug: boolean;
  readonly redis: boolean;
}

/**
 * The debug info of the specification, section 3. Everybody may know what can be seen from outside anyway: name and
 * version of the product, that it sends no telemetry, how many requests a minute are answered. The machine is told to
 * those who may see its health; to others it is empty.
 */
export function debugInfo(facts: MachineFacts, staff: boolean): DebugInfo {
  const { max, windowS } = LIMITS.read;
  return {
    debug_debug: staff && facts.debug,
    debug_version: facts.version,
    debug_os: staff ? facts.os : '',
    debug_os_kernel: staff ? facts.kernel : '',
    debug_name: 'Spawnpoint',
    debug_telemetry: false,
    debug: {
      useRedis: staff ? facts.redis : null,
      rateLimit: { enabled: true, limit: Math.floor((max * 60) / windowS) },
    },
  };
}

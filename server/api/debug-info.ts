import { LIMITS } from '#shared/limits.ts';
import type { DebugInfo } from '#shared/debug-info.ts';

/** What is known of the process and its machine. */
interface MachineFacts {
  readonly version: string;
  readonly os: string;
  readonly kernel: string;
  /** The log holds lines of the level `debug`. */
  readonly debug: boolean;
  readonly redis: boolean;
}

/**
 * The debug info of the specification, section 3. Everybody gets what can be observed from outside anyway: name and
 * version of the product, that it sends no telemetry, how many requests a minute it allows. Facts of the machine are
 * only for those who may see its health (`staff`); for others they are empty.
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

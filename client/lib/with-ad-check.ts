import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';

/**
 * Runs a command that earns; where it was refused for want of the ad-blocker check (behaviour 4.6), once more after
 * that check, which is loaded only then. On the server, and where the check is not passed, the refusal stands.
 */
export async function withAdCheck<T>(api: Api, command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'AD_BLOCKER' || typeof document === 'undefined') throw error;
    const { passAdCheck } = await import('./ad-check.ts');
    if (!(await passAdCheck(api))) throw error;
    return command();
  }
}

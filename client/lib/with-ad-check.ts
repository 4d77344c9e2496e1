import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';

/**
 * Runs a command that earns credits. If it is refused because the ad-blocker check is missing (behaviour 4.6), runs the
 * check, which is loaded only then, and the command once more. On the server, and when the check fails, the refusal is
 * rethrown.
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

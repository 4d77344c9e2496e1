import type { Fetcher } from '#shared/contract/client.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';

const CODE: ErrorCode = 'TRUST_REQUIRED';
/** What pages send by themselves: nobody is led away from what they do for its sake. */
const BY_ITSELF: readonly string[] = ['/api/notifications/read'];

/** The page where one confirms who one is, and goes on from there to a page of ours (path and query). */
export const confirmationPath = (from: string): string => `${href('auth.confirm')}?to=${encodeURIComponent(from)}`;

/** A fetcher that reports when a command is refused until its user confirms who they are (behaviour 3.11). */
export function watchConfirmation(send: Fetcher, onRefused: () => void): Fetcher {
  return async (path, init) => {
    const response = await send(path, init);
    if (response.status === 403 && !BY_ITSELF.includes(path) && (await codeIn(response.clone())) === CODE) onRefused();
    return response;
  };
}

/** In the browser: leads to the page where one confirms who one is. */
export const withConfirmation = (send: Fetcher): Fetcher =>
  watchConfirmation(send, () => location.assign(confirmationPath(location.pathname + location.search)));

async function codeIn(response: Response): Promise<unknown> {
  try {
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'error_code') : null;
  } catch {
    return null;
  }
}

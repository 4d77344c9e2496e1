import { codeIn } from '#client/app/acting-as.ts';
import { tabStorage, TYPED_KEY } from '#client/lib/storage.ts';
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

/**
 * In the browser: leads to the page where one confirms who one is. What was typed waits for the way back. In: id of the
 * page's user.
 */
export const withConfirmation = (send: Fetcher, pageUser: () => string | null): Fetcher =>
  watchConfirmation(send, () => {
    const path = location.pathname + location.search;
    const leave = () => location.assign(confirmationPath(path));
    const keep = async () => {
      const { keepTyped } = await import('./typed-values.ts');
      keepTyped(tabStorage, document, { path, userId: pageUser() ?? '' });
    };
    void keep().then(leave, leave);
  });

/** In the browser, once the page is hydrated: puts back what was typed before its user went to confirm. */
export async function restoreAfterConfirmation(userId: string | null): Promise<void> {
  if (userId === null || tabStorage.getItem(TYPED_KEY) === null) return;
  const { restoreTyped } = await import('./typed-values.ts');
  restoreTyped(tabStorage, document, { userId, path: location.pathname + location.search });
}

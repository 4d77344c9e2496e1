import type { SessionAnswer } from '#client/app/boot.ts';
import { ACTING_AS_HEADER } from '#shared/constants.ts';
import type { Fetcher } from '#shared/contract/client.ts';
import type { ErrorCode } from '#shared/errors.ts';

const CODE: ErrorCode = 'USER_CHANGED';

/** The user's id of a session answer; null for guests. */
export const userIdOf = (answer: SessionAnswer | null): string | null =>
  answer === null ? null : String(answer.user_info.id);

/**
 * Whose page this is: who was logged in when it was loaded, or logged in on it. It does not follow when the session
 * turns into somebody else's elsewhere, as when staff end in another tab to view as a user: what is filled in here was
 * meant for that user.
 */
export function createPageUser(session: {
  get(): SessionAnswer | null;
  subscribe(listener: () => void): () => void;
}): () => string | null {
  let own = userIdOf(session.get());
  session.subscribe(() => {
    const now = userIdOf(session.get());
    if (own === null || now === null) own = now;
  });
  return () => own;
}

/**
 * A fetcher that says with each command whose page it comes from. `onRefused`: the session is somebody else's by now
 * (attacks T39).
 */
export function withActingAs(send: Fetcher, pageUser: () => string | null, onRefused: () => void): Fetcher {
  return async (path, init) => {
    const as = pageUser();
    if (as === null || (init.method ?? 'GET') === 'GET') return send(path, init);
    const response = await send(path, toActingAs(init, as));
    if (response.status === 409 && (await codeIn(response.clone())) === CODE) onRefused();
    return response;
  };
}

/** A request that says whose page it comes from. */
export function toActingAs(init: RequestInit, as: string): RequestInit {
  const headers = new Headers(init.headers);
  headers.set(ACTING_AS_HEADER, as);
  return { ...init, headers };
}

/** The code of a refused request; null where the answer is not ours. */
export async function codeIn(response: Response): Promise<unknown> {
  try {
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'error_code') : null;
  } catch {
    return null;
  }
}

import { SESSION_COOKIE } from '#shared/constants.ts';

/** A session, as `Installation.client` keeps it. */
export interface HeldSession {
  secret: string | null;
}
interface Load {
  /** Where the next request goes. */
  readonly url: () => string;
  /** Each gives a credit after the other. */
  readonly givers: readonly HeldSession[];
  /** Id of the user who gets them. */
  readonly recipient: string;
  /** Whose session is polled. */
  readonly polled: HeldSession;
}

/**
 * Players who give credits one after the other, a page that is looked at and a session that is polled. A gift without
 * an answer is sent again under its key, as the client does.
 */
export function startGiftLoad({ url, givers, recipient, polled }: Load) {
  const failures: string[] = [];
  const counts: number[] = [];
  const state = { isOpen: true };
  let given = 0;
  const send = async ({ secret }: HeldSession, method: string, path: string, init: RequestInit): Promise<boolean> => {
    const origin = url();
    const headers = { Cookie: `${SESSION_COOKIE}=${secret}; user_token=1`, Origin: origin, ...init.headers };
    // Connections that a kill cut had no answer at all: no status to look at.
    const response = await fetch(origin + path, { ...init, method, headers, redirect: 'manual' }).catch(() => null);
    await response?.bytes().catch(() => undefined);
    if (response && response.status !== 200) failures.push(`${method} ${response.status}`);
    return response?.status === 200;
  };
  const loop = async (each: () => Promise<void>, pauseMs: number): Promise<void> => {
    const at = counts.push(0) - 1;
    while (state.isOpen) {
      await each();
      counts[at] = (counts[at] ?? 0) + 1;
      await Bun.sleep(pauseMs);
    }
  };
  const give = async (who: HeldSession): Promise<void> => {
    const headers = { 'Idempotency-Key': crypto.randomUUID(), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ recipient, amount: 1, total: 1 });
    while (!(await send(who, 'POST', '/api/gifts', { headers, body }))) await Bun.sleep(50);
    given += 1;
  };
  const [giver = polled] = givers;
  const loops = [
    ...givers.map((who) => loop(() => give(who), 600)),
    loop(async () => void (await send(giver, 'GET', '/dashboard', {})), 250),
    loop(async () => void (await send(polled, 'GET', '/api/user/session', {})), 150),
  ];
  return {
    failures: () => [...failures],
    /** How many answers each of them has had. */
    answered: () => [...counts],
    /** Out: how many credits were given. */
    async end() {
      state.isOpen = false;
      await Promise.all(loops);
      return given;
    },
  };
}

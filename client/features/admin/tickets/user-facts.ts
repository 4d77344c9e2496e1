import { useEffect, useEffectEvent, useState } from 'react';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';

/** Orders on the card, as the query has it. */
const ORDERS = '3';
/** A panel's own numbers change every 20 s. */
const POLL_MS = 20_000;

/** What a question answers; null where the caller may not ask it, or what it is about is gone. */
async function orNull<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * What else staff see of a ticket's user, each by the right to see it where it stands: the latest orders, the score
 * with the rewards that wait, and the account with its second factor. Null: the caller has no right to it.
 */
export async function readUserFacts(args: LoaderFunctionArgs, userId: string) {
  const { adminPayments, adminUserDetails, adminUsers } = apiOf(args);
  const params = { id: userId };
  const [payments, signals, account, ways] = await Promise.all([
    orNull(adminPayments.list({ query: { user: userId, per_page: ORDERS } })),
    orNull(adminUserDetails.signals({ params })),
    orNull(adminUsers.get({ params })),
    orNull(adminUserDetails.ways({ params })),
  ]);
  return {
    orders: payments && { rows: payments.rows, total: payments.paging.total },
    account: account && { ...pick(account), factor_at: ways?.factor_at ?? null },
    signals: signals && { score: signals.score, threshold: signals.threshold, held: signals.held },
  };
}

/** What of an account stands on the card. */
const pick = ({
  role,
  status,
  viewable,
  support_pin: pin,
  username,
}: Awaited<ReturnType<Api['adminUsers']['get']>>) => ({
  role,
  status,
  viewable,
  support_pin: pin,
  username,
});

type Power = 'offline' | 'starting' | 'running' | 'stopping' | 'unknown';

/** Whether a server runs right now, by its panel; null: not known. It is asked again while the page is looked at. */
export function useServerPower(id: string, isActive: boolean): Power | null {
  const api = useApi();
  const [power, setPower] = useState<Power | null>(null);
  const ask = useEffectEvent(async (which: string): Promise<Power | null> => {
    const answer = await api?.adminServers.usage({ params: { id: which } });
    return answer?.usage?.power ?? null;
  });
  // An effect, because the panel is outside React: the page never waits for it.
  useEffect(() => {
    if (!isActive) return undefined;
    let isOver = false;
    const poll = async (): Promise<void> => {
      if (document.visibilityState !== 'visible') return;
      const found = await ask(id).catch(() => null);
      if (!isOver) setPower(found);
    };
    void poll();
    const timer = setInterval(() => void poll(), POLL_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [id, isActive]);
  return power;
}

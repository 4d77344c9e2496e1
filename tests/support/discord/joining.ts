import { ApiError } from '#shared/contract/client.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { confirmWho, type Person } from '../harness.ts';

/** Claims a server as somebody. Out: what became of it, or the code of the refusal. */
export async function claim(person: Person, id: string, key?: string): Promise<ErrorCode | 'paid' | 'held'> {
  try {
    return (await person.api.j4r.claim({ params: { id } }, key === undefined ? {} : { key })).state;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

/** The card of a server as somebody sees it. */
export async function card(person: Person, name = 'Server 1') {
  return (await person.api.j4r.page()).servers.find((each) => each.name === name);
}

/** Ends somebody's link to Discord. */
export async function unlink(person: Person): Promise<void> {
  await confirmWho(person);
  await person.api.linked.unlink({ params: { id: (await person.api.linked.get()).discord.identity?.id ?? '' } });
}

/** How the questions about members begin, for faults and counts. */
export const MEMBER = 'GET /users/@me/guilds/';

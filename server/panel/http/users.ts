import type { Panel, PanelAnswer, PanelUser } from '#server/modules/servers/panel/ports.ts';
import type { Call, PanelClient, Reply } from './client.ts';
import type { Priority } from './bucket.ts';
import type { Dialect } from './dialect.ts';
import { namesOf } from './names.ts';
import { taken } from './refusals.ts';
import { readUser } from './shapes.ts';

interface Asking {
  readonly client: PanelClient;
  readonly dialect: Dialect;
  readonly priority: Priority;
}

/** The account that has our id, exactly: the panel's own look-up ignores case. */
async function find({ client, priority }: Asking, externalId: string): Promise<PanelAnswer<string>> {
  const path = `/users/external/${encodeURIComponent(externalId)}`;
  const { answer } = await client.call(
    { kind: 'read', api: 'application', right: 'users', method: 'GET', path, read: readUser },
    priority,
  );
  if (answer.outcome !== 'ok') return answer;
  return answer.value.externalId === externalId
    ? { outcome: 'ok', value: answer.value.id }
    : { outcome: 'refused', reason: 'external_id' };
}

/** Sends an account with each of its usernames in turn, until one is free. */
async function withFreeName(
  asking: Asking,
  user: PanelUser,
  call: Pick<Call<unknown>, 'kind' | 'method' | 'path'>,
): Promise<Reply<string>> {
  const names = namesOf(user);
  // An answer that is about another account than ours is none.
  const read = (body: unknown) => {
    const made = readUser(body);
    return made && made.externalId === user.externalId ? made.id : undefined;
  };
  const send = (username: string) =>
    asking.client.call(
      {
        ...call,
        alone: call.kind === 'create',
        api: 'application',
        right: 'users',
        body: asking.dialect.userBody(user, names, username),
        read,
      },
      asking.priority,
    );
  const [first, ...others] = names.usernames;
  let reply = await send(first);
  for (const username of others) {
    // An address that is taken is said first: no other name helps.
    if (!(reply.verdict.reason === 'username_taken' && taken(reply.errors, 'username'))) break;
    reply = await send(username);
  }
  return reply;
}

/**
 * Accounts (panel contract, section 3). They are found by our id alone (attacks T28). Where the address belongs to an
 * account that has not our id, the answer is `email_taken`: somebody may have put it there to get at its owner's
 * servers, and one with an address of our own making could never set its password. Staff decide: they give the account
 * our id, or free the address. See the decision on panel accounts.
 */
export function userCalls(asking: Asking): Pick<Panel, 'ensureUser' | 'updateUser'> {
  return {
    async ensureUser(user) {
      // Made without looking first: our id is unique there, so an account that exists is named by the refusal, and most
      // are new.
      const { answer } = await withFreeName(asking, user, { kind: 'create', method: 'POST', path: '/users' });
      // It exists, or two at once: one of them made it. What came of a lost answer is seen by our id, too.
      if (answer.outcome !== 'conflict' && answer.outcome !== 'unknown') return answer;
      const made = await find(asking, user.externalId);
      // A panel that does not answer this either is away; one that has none after a lost answer may still get it.
      return made.outcome === 'not_found' ? answer : made;
    },
    async updateUser(panelUserId, user) {
      if (!/^\d{1,15}$/.test(panelUserId)) return { outcome: 'refused', reason: 'id' };
      const { answer } = await withFreeName(asking, user, {
        kind: 'write',
        method: 'PATCH',
        path: `/users/${panelUserId}`,
      });
      return answer.outcome === 'ok' ? { outcome: 'ok', value: null } : answer;
    },
  };
}

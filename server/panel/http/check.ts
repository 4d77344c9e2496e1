import type { PanelAnswer, PanelCheck, PanelRight } from '#server/modules/servers/panel/ports.ts';
import type { PanelClient, Reply } from './client.ts';
import type { Dialect } from './dialect.ts';
import { readAccount, readFirstId } from './shapes.ts';

/** A right, its level, and the call that shows whether the key has it. */
interface Probe {
  readonly right: PanelRight;
  readonly level: 'read' | 'write';
  readonly path: string;
}
type NoAnswer = Exclude<PanelAnswer<never>, { outcome: 'ok' }>;

/** Something that is there to try a right on; '0' where there is nothing or it may not be seen. */
async function someOf(client: PanelClient, right: PanelRight): Promise<string> {
  const { answer } = await client.call({
    kind: 'read',
    api: 'application',
    right,
    method: 'GET',
    path: `/${right}?per_page=1`,
    read: readFirstId,
  });
  return answer.outcome === 'ok' ? (answer.value ?? '0') : '0';
}

/**
 * A command without content is refused by the validation, and before that for want of the right (panel contract,
 * section 1): nothing is ever made.
 */
function pathOf(dialect: Dialect, right: PanelRight, node: string, nest: string): string {
  if (right === 'allocations') return `/nodes/${node}/allocations?per_page=1`;
  if (right === 'eggs') return dialect.eggProbe(nest);
  return `/${right}?per_page=1`;
}
function probe(client: PanelClient, { right, level, path }: Probe): Promise<Reply<null>> {
  const read = () => null;
  return level === 'write'
    ? client.call({
        kind: 'create',
        api: 'application',
        right,
        method: 'POST',
        path: `/${right}`,
        body: {},
        probing: true,
        read,
      })
    : client.call({ kind: 'read', api: 'application', right, method: 'GET', path, probing: true, read });
}

/** What a probe's answer says of the right; null where there was nothing to try it on. */
function grantedBy({ right }: Probe, { answer, verdict, errors }: Reply<null>): boolean | null | NoAnswer {
  if (answer.outcome === 'ok' || answer.outcome === 'conflict') return true;
  if (answer.outcome === 'not_found') return null;
  if (answer.outcome !== 'refused') return { outcome: 'unavailable' };
  if (verdict.reason === `right:${right}`) return false;
  // The validation spoke, so the right is there.
  return errors?.some(({ field }) => field !== null) ? true : answer;
}

async function clientKeyOf(client: PanelClient, hasKey: boolean): Promise<PanelCheck['clientKey'] | null> {
  if (!hasKey) return 'absent';
  const { answer } = await client.call({
    kind: 'read',
    api: 'client',
    right: 'servers',
    method: 'GET',
    path: '/account',
    read: readAccount,
  });
  // Who is no administrator sees servers of their own alone.
  if (answer.outcome === 'ok') return answer.value ? 'ok' : 'refused';
  return answer.outcome === 'refused' ? 'refused' : null;
}

/**
 * Tries each right that the product needs, without changing anything (behaviour 6.7). A right that there is nothing to
 * try on is left out.
 */
export async function checkPanel(
  client: PanelClient,
  dialect: Dialect,
  hasClientKey: boolean,
): Promise<PanelAnswer<PanelCheck>> {
  const byNest = dialect.rights.some(({ right }) => right === 'nests');
  const [node, nest] = await Promise.all([someOf(client, 'nodes'), byNest ? someOf(client, 'nests') : '0']);
  const probes = dialect.rights.map((each) => ({ ...each, path: pathOf(dialect, each.right, node, nest) }));
  const [clientKey, replies] = await Promise.all([
    clientKeyOf(client, hasClientKey),
    Promise.all(probes.map((each) => probe(client, each))),
  ]);
  const rights: PanelCheck['rights'][number][] = [];
  for (const [at, { right, level }] of dialect.rights.entries()) {
    const [tried, reply] = [probes[at], replies[at]];
    const granted = tried && reply ? grantedBy(tried, reply) : null;
    if (typeof granted === 'boolean') rights.push({ right, level, granted });
    else if (granted !== null) return granted;
  }
  return clientKey === null
    ? { outcome: 'unavailable' }
    : { outcome: 'ok', value: { dialect: dialect.name, rights, clientKey } };
}

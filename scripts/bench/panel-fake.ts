import { furnish } from '#tests/support/http-panel.ts';
import { openFakePanel } from '#tests/support/panels/index.ts';

/** What a panel of the benchmark can be told. */
export type Order =
  /** How many requests came so far. */
  | { readonly kind: 'calls' }
  /** From here on nothing is answered, or is again. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'answer' }
  /** Ends what is being installed. */
  | { readonly kind: 'install' }
  /** Makes servers that are ready. Answers their ids. */
  | { readonly kind: 'fill'; readonly servers: readonly Filled[] };
/** A server to be there. */
export interface Filled {
  readonly externalId: string;
  readonly name: string;
  readonly ownerId: number;
  readonly allocation: number;
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
  readonly ports: number;
  readonly databases: number;
  readonly backups: number;
}
export interface Ready {
  readonly url: string;
  readonly key: string;
  readonly clientKey: string;
  readonly node: number;
  readonly egg: number;
  readonly image: string;
  readonly startup: string;
  readonly location: number | null;
  readonly allocations: readonly number[];
}
/** What its process says: where it is, then an answer to each order. */
export interface Said {
  readonly ready?: Ready;
  readonly value?: number | readonly number[] | null;
}

/** No limit that anybody would reach. */
const LIMIT = 100_000_000;

/** The panel of the tests with so many ports, which answers at once. */
export async function openFake(ports: number) {
  const fake = await openFakePanel({
    dialect: 'pterodactyl',
    keepAlive: true,
    rateLimits: { application: LIMIT, client: LIMIT },
  });
  const { state } = fake;
  const facts = furnish(fake, { ports });
  let calls = 0;
  /** What was asked is kept for tests only. */
  function count(): number {
    calls += state.calls.length;
    state.calls.length = 0;
    return calls;
  }
  function put({
    externalId,
    name,
    ownerId,
    allocation,
    memory,
    disk,
    cpu,
    ports: allocationLimit,
    databases: databaseLimit,
    backups: backupLimit,
  }: Filled): number {
    const [id, uuid] = [state.nextId('servers'), state.uuid()];
    state.insertServer({
      id,
      externalId,
      uuid,
      identifier: uuid.slice(0, 8),
      name,
      description: '',
      status: null,
      ownerId,
      nodeId: facts.node,
      allocationId: allocation,
      eggId: facts.egg,
      startup: facts.startup,
      image: facts.image,
      memory,
      swap: 0,
      disk,
      io: 500,
      cpu,
      threads: null,
      oomDisabled: true,
      databaseLimit,
      allocationLimit,
      backupLimit,
      skipScripts: false,
      variables: new Map(),
      installedOnce: true,
      installingSinceMs: null,
      createdMs: state.now(),
      updatedMs: state.now(),
    });
    state.assign(allocation, id);
    return id;
  }
  function obey(order: Order): Said['value'] {
    const { kind } = order;
    if (kind === 'fill') return order.servers.map(put);
    if (kind === 'calls') return count();
    if (kind === 'install') return fake.finishInstalls();
    if (kind === 'hang') fake.fail('hang', { times: Infinity });
    if (kind === 'answer') {
      fake.heal();
      void fake.release();
    }
    return null;
  }
  const ready: Ready = { ...facts, url: fake.url, key: fake.applicationKey, clientKey: fake.clientKey };
  return { ready, obey, close: () => fake.close() };
}

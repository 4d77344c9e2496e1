import { systemIds } from '#server/kernel.ts';
import type { PanelWorld, BenchPanel } from './panel-world.ts';
import type { Filled } from './panel-fake.ts';
import { secondsOf } from './rounds.ts';

/** What is compared: a server as the panel and we have it. */
const SIZE = { memory: 256, disk: 256, cpu: 5, ports: 1, databases: 0, backups: 0 };
/** Rows written in one transaction. */
const BATCH = 500;

/**
 * Gives an owner so many servers that are the same at the panel and with us, and looks at them. Out: calls to the panel
 * and seconds of that look. In: the panel's id of the owner's account. Throws where something differed.
 */
export async function reconcileMany(
  { host, panel, clock }: PanelWorld,
  fake: BenchPanel,
  owner: { userId: string; account: string },
  many: number,
): Promise<{ calls: number; seconds: number }> {
  const { ready } = fake;
  const { egg, location } = await host.database.uow.read(async (tx) => ({
    egg: (await tx.catalog.eggs())[0],
    location: (await tx.catalog.locations())[0],
  }));
  const free = await host.database.read(({ raw }) =>
    raw.all<{ allocation: string }>('SELECT allocation FROM node_allocations WHERE server_id IS NULL AND assigned = 0'),
  );
  if (!egg || !location || free.length < many) throw new Error('there is no room for so many servers');
  const servers = free.slice(0, many).map(({ allocation }): Filled => ({
    externalId: systemIds.uuid(),
    name: 'Survival',
    ownerId: Number(owner.account),
    allocation: Number(allocation),
    ...SIZE,
  }));
  const ids = await fake.fill(servers);
  const now = clock.now();
  for (let from = 0; from < many; from += BATCH) {
    await host.database.uow.run(async (tx) => {
      for (const [at, { externalId: id, allocation }] of servers.slice(from, from + BATCH).entries()) {
        await tx.servers.add({
          id,
          userId: owner.userId,
          name: 'Survival',
          description: '',
          locationId: location.id,
          categoryId: egg.categoryId,
          eggId: egg.id,
          resources: SIZE,
          variables: {},
          state: 'active',
          desired: 'running',
          suspendReason: null,
          failure: null,
          panel,
          panelNode: String(ready.node),
          panelIdentifier: null,
          panelId: String(ids[from + at]),
          panelState: 'ready',
          panelSeenMs: now,
          address: null,
          revision: 1,
          syncedRevision: 1,
          startupRevision: 0,
          primaryPort: null,
          reinstallMs: null,
          expiresMs: null,
          autoRenew: false,
          autoRenewOrder: 0,
          periods: 0,
          adoptedMs: null,
          createdMs: now,
          updatedMs: now,
        });
        await tx.capacity.replaceAllocations({ panel, serverId: id }, [String(allocation)]);
      }
    });
  }
  const reconcile = async () => {
    const drift = await host.services.servers.reconcile();
    if (!drift.complete || drift.repaired.length + drift.suspects.length > 0)
      throw new Error(`the look found ${drift.repaired.length} differences and ${drift.suspects.length} suspects`);
  };
  await reconcile();
  const before = await fake.order('calls');
  const seconds = await secondsOf(1, 1, reconcile);
  return { calls: (await fake.order('calls')) - before, seconds };
}

import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { createLedger } from '#server/modules/ledger/index.ts';
import { coins } from '#shared/coins.ts';
import { openPlainLedger } from './ledger-plain.ts';
import { rmSync } from 'node:fs';
const log = { info() {}, warn() {}, error() {} };
for (const dir of ['/dev/shm/lbtest', '/tmp/lbtest']) {
  rmSync(dir, { recursive: true, force: true });
  const database = openDatabase({ path: dir + '/a.db', bus: createBus(log), log });
  await database.migrate(1);
  const database2 = openDatabase({ path: dir + '/b.db', bus: createBus(log), log });
  await database2.migrate(1);
  const ledger = createLedger({ clock: { now: () => Date.now() }, ids: { uuid: () => Bun.randomUUIDv7(), token: () => '', hash: (t) => t } });
  for (const d of [database, database2]) await d.uow.run(async (tx) => { for (let u = 0; u < 1000; u++) await ledger.transfer(tx, { kind: 'b', reference: `s:${u}`, postings: [{ source: 'system:adjustment', destination: `user:${u}`, amount: coins(1e6) }] }); });
  await database2.close();
  const plain = openPlainLedger(dir + '/b.db');
  let n = 0;
  const mine = (f: number, t: number) => database.uow.run((tx) => ledger.transfer(tx, { kind: 'bench', reference: `r:${n++}`, postings: [{ source: `user:${f}`, destination: `user:${t}`, amount: coins(1) }] }));
  const hand = (f: number, t: number) => plain.transfer(`user:${f}`, `user:${t}`, 1, `r:${n++}`);
  const bench = async (fn: (f: number, t: number) => Promise<unknown>, total: number, conc: number) => {
    let left = total; const t0 = performance.now();
    await Promise.all(Array.from({ length: conc }, async () => { while (left-- > 0) { const f = Math.floor(Math.random() * 1000); await fn(f, (f + 7) % 1000); } }));
    return Math.round(total / (performance.now() - t0) * 1000);
  };
  for (let i = 0; i < 4; i++) { const p = await bench(hand, 20000, 16); const m = await bench(mine, 20000, 16); console.log(dir, 'plain', p, 'mine', m, (m / p).toFixed(2)); }
  console.log(await database.uow.read((tx) => tx.ledger.verify()));
  plain.close(); await database.close();
  rmSync(dir, { recursive: true, force: true });
}

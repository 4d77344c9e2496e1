import { Database } from 'bun:sqlite';
const COUNTS = new Map<string, [number, number]>(); let on = false;
const prep = Database.prototype.prepare;
Database.prototype.prepare = function (sql: string, ...rest: never[]) { const st = prep.call(this, sql, ...rest); for (const k of ['run','all','get','values'] as const) { const f = st[k].bind(st) as (...a: unknown[]) => unknown; (st as unknown as Record<string, unknown>)[k] = (...a: unknown[]) => { if (!on) return f(...a); const t0 = performance.now(); const r = f(...a); const c = COUNTS.get(sql) ?? [0, 0]; COUNTS.set(sql, [c[0] + 1, c[1] + performance.now() - t0]); return r; }; } return st; };
const { inFolder } = await import('./folder.ts');
const { addRich, openPanelWorld, startFake } = await import('./panel-world.ts');
const N = 400;
await inFolder(async (folder) => {
  const fake = await startFake(3000);
  const w = await openPanelWorld(folder, fake);
  const { servers } = w.host.services;
  const ctx = await addRich(w.host, Date.now());
  const { egg, location } = await w.host.database.uow.read(async (tx) => ({ egg: (await tx.catalog.eggs())[0], location: (await tx.catalog.locations())[0] }));
  const wish = (name: string) => ({ name, description: '', locationId: location.id, categoryId: egg.categoryId, eggId: egg.id, resources: { memory: 256, disk: 256, cpu: 5, ports: 1, databases: 0, backups: 0 }, variables: {}, autoRenew: false });
  const go = async () => {
    for (let i = 0; i < N; i++) await servers.create(ctx, wish('a' + i));
    on = Boolean(process.env.TRACE);
    const t = performance.now(), c0 = process.cpuUsage();
    for (let left = 1; left > 0;) {
      await Promise.all(Array.from({ length: Number(process.env.LANES ?? 4) }, () => servers.queueRun()));
      await fake.order('install'); w.advance(5000);
      left = await w.host.database.uow.read(async (tx) => (await tx.servers.countQueue('queued')) + (await tx.servers.countQueue('building')));
    }
    const c = process.cpuUsage(c0); on = false;
    console.log('wall/server', (performance.now() - t) / N, 'cpu/server', (c.user + c.system) / 1000 / N);
  };
  await go(); COUNTS.clear(); await go();
  let sum = 0, cnt = 0;
  for (const [k, [n, ms]] of [...COUNTS].sort((a, b) => b[1][1] - a[1][1]).slice(0, 50)) { console.log((n / N).toFixed(2), (ms / N * 1000).toFixed(0) + 'us', k.replace(/\s+/g, ' ').slice(0, 140)); }
  for (const [n, ms] of COUNTS.values()) { sum += ms; cnt += n; }
  console.log('stmts/server', cnt / N, 'ms/server', sum / N);
  await fake.stop();
});
process.exit(0);

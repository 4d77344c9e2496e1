/**
 * Which module may use which (through its index.ts). Acyclic; read by the architecture test.
 * Every module may also use kernel.ts, tx.ts and the modules `audit`, `idempotency` and `jobs`, which use none.
 */
export const MODULE_GRAPH: Readonly<Record<string, readonly string[]>> = {
  ledger: [],
  audit: [],
  idempotency: [],
  crud: [],
  jobs: [],
  settings: [],
  limits: [],
  mailing: ['settings'],
  notifications: [],
  access: [],
  skins: [],
  identity: ['access', 'settings', 'mailing', 'notifications', 'limits', 'ledger'],
  catalog: ['settings', 'crud'],
  'rewards/counters': ['settings'],
  'rewards/afk': ['ledger', 'settings', 'rewards/counters'],
  'rewards/redeem': ['ledger', 'settings', 'rewards/counters', 'limits'],
  store: ['ledger', 'settings', 'limits', 'notifications'],
  servers: ['ledger', 'catalog', 'settings', 'limits', 'mailing', 'notifications'],
  overview: ['ledger', 'settings', 'catalog', 'servers'],
};

import { expect } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createKindOfHost } from '#server/panel-hosts.ts';
import { DomainError } from '#shared/errors.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import { standInConnector, standInPanel, type StandInPanel } from '#tests/support/panel-standin.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { iso } from '#shared/time.ts';
import { createConnectionRegistry, createPanels } from '#server/modules/panels/index.ts';

/** Where the panel of these tests is. */
export const URL_A = 'https://panel.example.com';
/** Staff who keep panels. */
export const CTX: SignedIn = {
  actor: {
    userId: '0193aaaa-0000-7000-8000-00000000aaaa',
    sessionId: 's',
    username: 'mirela',
    permissions: ['admin.panels.create', 'admin.panels.edit', 'admin.panels.delete'],
    verified: true,
  },
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.7',
  userAgent: 'test',
  idempotency: null,
};
const NAMES: Record<string, string[]> = {
  'panel.example.com': ['93.184.215.14'],
  'moved.example.com': ['93.184.215.15'],
  'inside.example.com': ['10.0.0.5'],
  'meta.example.com': ['169.254.169.254'],
};

let open: TestDb | null = null;
/** Closes what the last test opened. */
export async function closePanels(): Promise<void> {
  await open?.close();
  open = null;
}

/** Panels over a fresh database and stand-ins, by their address. Out: them, and what tests do with them. */
export async function openPanels(
  engine: (typeof ENGINES)[number] = 'sqlite',
  panels: Record<string, StandInPanel> = { [URL_A]: standInPanel() },
) {
  const db = (open = await openTestDb(engine));
  const clock = fakeClock();
  const connector = standInConnector(panels);
  const base = { uow: db.uow, clock, ids: testIds(3), log: db.log, sealer: testSealer };
  const registry = createConnectionRegistry({ ...base, bus: db.bus, connector, embedded: null });
  const service = createPanels({
    recipes: [],
    runsImages: () => false,
    parseYaml: JSON.parse,
    ...base,
    registry,
    connector,
    kindOfHost: createKindOfHost((host) => Promise.resolve(NAMES[host] ?? [])),
    mailing: { isConfigured: () => true, sendTo: () => Promise.resolve(true) },
  });
  const input = {
    name: 'Main',
    url: URL_A,
    dialect: 'auto' as const,
    enabled: true,
    key: panels[URL_A]?.key ?? 'k',
    client_key: '',
    public_url: '',
  };
  const audit = () => db.uow.read((tx) => tx.audit.latest(50));
  const add = async (more: Partial<typeof input> = {}) => (await service.create(CTX, { ...input, ...more })).id;
  const update = async (id: string, more: object) => {
    const { name, url, publicUrl, enabled, updatedMs } = await service.get(id);
    return service.update(CTX, id, {
      name,
      url,
      public_url: publicUrl ?? '',
      enabled,
      dialect: 'auto',
      key: '',
      client_key: '',
      drop_client_key: false,
      updated_at: iso(updatedMs),
      ...more,
    });
  };
  /** A panel that was read. */
  const read = async () => {
    const id = await add();
    expect(await service.sync(id)).toMatchObject({ state: 'ok' });
    return id;
  };
  const takeAll = async (id: string) => {
    const { offers } = await service.catalogue(id);
    return service.importOffers(CTX, id, { offers: offers.map(({ kind, ref }) => ({ kind, ref })), nests: [] });
  };
  const panel = panels[URL_A] ?? standInPanel();
  return { db, clock, registry, connector, service, panel, input, add, update, read, takeAll, audit };
}
/** The fields that work is refused for, or its code. Throws where it is not refused. */
export const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DomainError)) throw error ?? new Error('it was not refused');
  return error.fields ?? error.code;
};

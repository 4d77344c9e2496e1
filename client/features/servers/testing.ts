import type { ServerView } from '#shared/contract/server-views.ts';
import type { Egg, Options } from './create-form.ts';
import type { Renewal } from './renew-box.tsx';

/** Samples for the tests of this folder. */

/** An id of the contract's form. */
export const ID = (n: number): string => `0190a000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** An active server, with changes. */
export function server(more: Partial<ServerView> = {}): ServerView {
  return {
    id: ID(1),
    name: 'Lanternwood',
    description: 'Survival',
    state: 'active',
    suspend_reason: null,
    failure: null,
    address: 'fra1.example:25571',
    egg: { id: ID(21), name: 'Paper', shape: 'cube', hue: 5, picture: '' },
    location: { id: ID(11), name: 'Frankfurt', code: 'fra1' },
    resources: { memory: 4096, disk: 20_480, cpu: 200, ports: 2, databases: 1, backups: 1 },
    progress: null,
    created_at: '2026-08-18T10:00:00.000Z',
    expires_at: '2026-12-17T10:00:00.000Z',
    suspends_at: null,
    deletes_at: null,
    auto_renew: true,
    renew_priority: 'normal',
    queue: null,
    pending: false,
    can: { update: true, renew: true, delete: true, retry: false },
    ...more,
  };
}

/** A queue entry that waits, with changes. */
export function queue(more: Partial<NonNullable<ServerView['queue']>> = {}): NonNullable<ServerView['queue']> {
  return {
    id: ID(5),
    state: 'queued',
    position: 3,
    estimate_s: 118,
    attempts: 0,
    can_cancel: true,
    last_error: null,
    waiting: null,
    steps: [{ at: '2026-11-21T18:29:20.000Z', code: 'queued', detail: null }],
    ...more,
  };
}

export const NOTHING_ALLOWED: ServerView['can'] = { update: false, renew: false, delete: false, retry: false };

/** A renewal that can be had, with changes. */
export function renewal(more: Partial<Renewal> = {}): Renewal {
  return {
    cost: 100,
    days: 30,
    new_expiry: '2027-01-16T10:00:00.000Z',
    allowed: true,
    reason: null,
    balance: 1284,
    ...more,
  };
}

/** An egg of the create page, with changes. */
export function egg(n: number, name: string, more: Partial<Egg> = {}): Egg {
  return {
    id: ID(n),
    name,
    description: 'Fast.',
    shape: 'cube',
    hue: 5,
    min_memory: 1024,
    min_disk: 1024,
    min_cpu: 50,
    simulated: true,
    vip_only: false,
    available: true,
    reason: null,
    variables: [],
    ...more,
  };
}

/** A location of the built-in panel that nobody waits for. */
export const NO_WAITING = { embedded: true, waiting: 0, estimate_s: null, wait: null };

/** What the create page is given, with changes. */
export function options(more: Partial<Options> = {}) {
  return {
    locations: [
      {
        id: ID(11),
        name: 'Frankfurt',
        code: 'fra1',
        description: '',
        slots_free: 41,
        vip_only: false,
        available: true,
        reason: null,
        ...NO_WAITING,
      },
      {
        id: ID(12),
        name: 'Bucharest',
        code: 'buc1',
        description: '',
        slots_free: 3,
        vip_only: false,
        available: true,
        reason: null,
        ...NO_WAITING,
      },
      {
        id: ID(13),
        name: 'Helsinki',
        code: 'hel1',
        description: '',
        slots_free: 9,
        vip_only: true,
        available: false,
        reason: 'VIP_ONLY',
        ...NO_WAITING,
      },
      {
        id: ID(14),
        name: 'Warsaw',
        code: 'waw1',
        description: '',
        slots_free: 0,
        vip_only: false,
        available: false,
        reason: 'LOCATION_FULL',
        ...NO_WAITING,
      },
    ],
    categories: [
      {
        id: ID(31),
        name: 'Minecraft: Java',
        description: '',
        picture: '',
        eggs: [
          egg(21, 'Paper', {
            variables: [
              {
                env: 'SERVER_JARFILE',
                name: 'Server file',
                description: '',
                default_value: 'server.jar',
                rules: 'required|regex:/^[a-z.]+\\.jar$/',
                kind: 'text',
                options: [],
                unchecked: [],
              },
              {
                env: 'VERSION',
                name: 'Version',
                description: '',
                default_value: '1.21',
                rules: 'required|in:1.21,1.20',
                kind: 'select',
                options: ['1.21', '1.20'],
                unchecked: [],
              },
            ],
          }),
          egg(22, 'Forge', { min_memory: 3072 }),
          egg(23, 'NeoForge', { vip_only: true, available: false, reason: 'VIP_ONLY' }),
        ],
      },
      { id: ID(32), name: 'Proxies', description: '', picture: '', eggs: [egg(24, 'Velocity', { min_memory: 1536 })] },
    ],
    meters: {
      memory: { used: 8192, limit: 10_240 },
      disk: { used: 36_864, limit: 40_960 },
      cpu: { used: 450, limit: 600 },
      slots: { used: 4, limit: 5 },
      ports: { used: 7, limit: 10 },
      databases: { used: 2, limit: 2 },
      backups: { used: 1, limit: 3 },
    },
    renew: { enabled: true, cost: 100, days: 30 },
    carried_debt: null,
    balance: 1284,
    queue: { length: 3, estimate_s: 118 },
    panel: 'embedded',
    ...more,
  };
}

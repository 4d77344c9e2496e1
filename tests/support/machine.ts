import type { MachineRuntime, Runtime, RuntimeMachine, RuntimeServer, RuntimeSpec } from '#server/panel/index.ts';

const GB = 1024 ** 3;
const PARTS = {
  user: 'enforced',
  network: 'enforced',
  memory: 'enforced',
  cpu: 'enforced',
  calls: 'enforced',
} as const;

/** A machine whose node is not there: what it says is what a test set, and what it is told is written down. */
export class FakeMachine {
  /** What was asked of it: signals, maintenance, and the reserve in bytes. */
  readonly told: string[] = [];
  readonly servers = new Map<string, RuntimeServer>();
  /** What each of them was last ordered to be. */
  readonly specs = new Map<string, RuntimeSpec>();
  /** It does not answer. */
  isAway = false;
  facts: RuntimeMachine = {
    parts: { ...PARTS, disk: 'partial' },
    groups: 2,
    system: 'Debian GNU/Linux 12',
    kernel: '6.1.0',
    processor: 'EPYC',
    cores: 4,
    uptimeMs: 86_400_000,
    memory: { total: 8 * GB, free: 5 * GB },
    disk: { total: 100 * GB, free: 60 * GB, kind: 'ext4' },
    folder: '/srv/servers',
    maintenance: false,
    reserve: 0,
    engine: { state: 'absent', name: '', version: '', socket: '' },
    lacking: [{ recipe: 'container', needs: null }],
  };
  private async answer<T>(value: () => T) {
    return this.isAway ? ({ outcome: 'unavailable' } as const) : ({ outcome: 'ok', value: value() } as const);
  }
  private readonly calls: Runtime = {
    put: (spec) =>
      this.answer(() => {
        const { id, revision } = spec;
        const used = { memory: GB, cpu: 12.5, disk: GB, received: 1200, sent: 3400, backups: 0, uptimeMs: 1000 };
        const totals = { cpuUs: 0, received: 0, sent: 0 };
        const server: RuntimeServer = { id, revision, state: 'running', ...used, totals, halt: null };
        this.servers.set(id, server);
        this.specs.set(id, spec);
        return server;
      }),
    list: () => this.answer(() => [...this.servers.values()]),
    read: async (id) => {
      const found = this.servers.get(id);
      return found ? this.answer(() => found) : { outcome: 'not_found' };
    },
    power: (id, signal) =>
      this.answer(() => {
        this.told.push(`${signal} ${id}`);
        return null;
      }),
    console: () => this.answer(() => ({ lines: [], gap: false })),
    command: () => this.answer(() => null),
    machine: (reserve) =>
      this.answer(() => {
        if (reserve !== null) this.facts = { ...this.facts, reserve };
        return this.facts;
      }),
    maintain: (isOn) =>
      this.answer(() => {
        this.told.push(isOn ? 'maintenance' : 'no maintenance');
        this.facts = { ...this.facts, maintenance: isOn };
        return null;
      }),
    files: async () => ({ outcome: 'conflict' }),
    backups: async () => ({ outcome: 'conflict' }),
    remove: (id) =>
      this.answer(() => {
        this.servers.delete(id);
        return null;
      }),
  };
  readonly runtime: MachineRuntime = { calls: this.calls, ports: { first: 25_565, last: 25_568 }, host: null };
}

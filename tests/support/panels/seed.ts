import type { EggRow, KeyRow, LocationRow, NestRow, NodeRow, Rights, UserRow } from './rows.ts';
import type { PanelState } from './state.ts';

type Facts<T> = Partial<Omit<T, 'id' | 'createdMs' | 'updatedMs'>>;
export interface VariableFacts {
  readonly env: string;
  readonly rules?: string;
  readonly defaultValue?: string;
  readonly name?: string;
  readonly description?: string;
  readonly viewable?: boolean;
  readonly editable?: boolean;
}
export type EggFacts = Omit<Facts<EggRow>, 'variables'> & { readonly variables?: readonly VariableFacts[] };
export interface AllocationFacts {
  readonly ip?: string;
  readonly alias?: string | null;
  /** Ports; 25565 to 25574 unless told. */
  readonly ports?: readonly number[];
}
/** Makers of rows, past the API. Each gives back what it made. */
export interface Seeder {
  addUser(facts?: Facts<UserRow>): UserRow;
  /** A key for the user (the first admin unless told), with all rights unless told. */
  addKey(facts?: {
    kind?: KeyRow['kind'];
    userId?: number;
    rights?: Rights | 'all';
    allowedIps?: readonly string[];
  }): KeyRow;
  addLocation(facts?: Facts<LocationRow>): LocationRow;
  addNode(facts?: Facts<NodeRow>): NodeRow;
  /** Out: ids, in the order of the ports. */
  addAllocations(node: number, facts?: AllocationFacts): number[];
  addNest(facts?: Facts<NestRow>): NestRow;
  addEgg(facts?: EggFacts): EggRow;
}

const PREFIX = {
  pterodactyl: { application: 'ptla_', client: 'ptlc_' },
  pelican: { application: 'papp_', client: 'pacc_' },
} as const;
const IMAGE = 'ghcr.io/pterodactyl/yolks:java_21';
const TEN_PORTS = Array.from({ length: 10 }, (_, at) => 25565 + at);

export function createSeeder(state: PanelState): Seeder {
  const times = () => ({ createdMs: state.now(), updatedMs: state.now() });
  const pelican = state.dialect === 'pelican';

  return {
    addUser(facts = {}) {
      const id = state.nextId('users');
      const row: UserRow = {
        id,
        externalId: null,
        uuid: state.uuid(),
        username: `user${id}`,
        email: `user${id}@example.test`,
        firstName: 'Ada',
        lastName: 'Byron',
        language: 'en',
        rootAdmin: false,
        password: null,
        ...times(),
        ...facts,
      };
      state.users.set(id, row);
      return row;
    },
    addKey(facts = {}) {
      const { kind = 'application', userId = 1, rights = 'all', allowedIps = [] } = facts;
      // 16 characters of identifier, the prefix in them, and 32 of secret (1).
      const token = `${PREFIX[state.dialect][kind]}${(state.uuid() + state.uuid()).replaceAll('-', '').slice(0, 43)}`;
      const row: KeyRow = { token, kind, userId, rights, allowedIps };
      state.keys.set(token, row);
      return row;
    },
    addLocation(facts = {}) {
      const id = state.nextId('locations');
      const row: LocationRow = { id, short: `loc${id}`, long: '', ...times(), ...facts };
      state.locations.set(id, row);
      return row;
    },
    addNode(facts = {}) {
      const id = state.nextId('nodes');
      const row: NodeRow = {
        id,
        uuid: state.uuid(),
        name: `node-${id}`,
        description: '',
        public: true,
        locationId: pelican ? null : 1,
        tags: [],
        fqdn: `node${id}.example.test`,
        scheme: 'https',
        behindProxy: false,
        maintenance: false,
        memory: 65_536,
        memoryOverallocate: 0,
        disk: 500_000,
        diskOverallocate: 0,
        cpu: 0,
        cpuOverallocate: 0,
        uploadSize: 100,
        daemonListen: 8080,
        daemonSftp: 2022,
        daemonBase: `/var/lib/${state.dialect}/volumes`,
        daemon: 'up',
        ...times(),
        ...facts,
      };
      state.nodes.set(id, row);
      return row;
    },
    addAllocations(node, { ip = `192.0.2.${node}`, alias = null, ports = TEN_PORTS } = {}) {
      return ports.map((port) => {
        const id = state.nextId('allocations');
        state.insertAllocation({ id, nodeId: node, ip, alias, port, notes: null, serverId: null });
        return id;
      });
    },
    addNest(facts = {}) {
      const id = state.nextId('nests');
      const row: NestRow = {
        id,
        uuid: state.uuid(),
        author: 'author@example.test',
        name: `Nest ${id}`,
        description: '',
        ...times(),
        ...facts,
      };
      state.nests.set(id, row);
      return row;
    },
    addEgg({ variables = [], ...facts } = {}) {
      const id = state.nextId('eggs');
      const row: EggRow = {
        id,
        uuid: state.uuid(),
        nestId: pelican ? 0 : 1,
        name: `Egg ${id}`,
        author: 'author@example.test',
        description: '',
        dockerImages: { 'Java 21': IMAGE },
        startup: 'java -jar {{SERVER_JARFILE}}',
        features: ['eula'],
        tags: ['minecraft'],
        config: { files: {}, startup: { done: 'Done' }, stop: 'stop', logs: [], file_denylist: [], extends: null },
        script: { privileged: true, install: '#!/bin/ash', entry: 'ash', container: 'alpine', extends: null },
        ...times(),
        ...facts,
        variables: variables.map((each) => ({
          id: state.nextId('egg_variables'),
          name: each.name ?? each.env,
          description: each.description ?? '',
          env: each.env,
          defaultValue: each.defaultValue ?? '',
          viewable: each.viewable ?? true,
          editable: each.editable ?? true,
          rules: each.rules ?? 'nullable|string',
          ...times(),
        })),
      };
      state.eggs.set(id, row);
      return row;
    },
  };
}

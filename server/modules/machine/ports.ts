import type { EngineState } from '#shared/engine.ts';
import type { MachineParts, UsageTotals } from '#shared/machine.ts';
import type { RuntimeState } from '#shared/server-codes.ts';
import type { PanelAnswer, ServerHalt } from '../servers/index.ts';

/** What the node says of its machine. Bytes, ms. */
export interface MachineFacts {
  readonly parts: MachineParts;
  readonly groups: 1 | 2;
  readonly system: string;
  readonly kernel: string;
  readonly processor: string;
  readonly cores: number;
  readonly uptimeMs: number;
  readonly memory: { readonly total: number; readonly free: number };
  readonly disk: { readonly total: number; readonly free: number; readonly kind: string };
  readonly folder: string;
  readonly maintenance: boolean;
  readonly reserve: number;
  readonly lacking: readonly { readonly recipe: string; readonly needs: string | null }[];
  /** What runs containers: Docker or Podman. */
  readonly engine: {
    readonly state: EngineState;
    readonly name: string;
    readonly version: string;
    readonly socket: string;
  };
}
/** A server that runs on this machine, as it is. Bytes, percent of one core. */
export interface MachineServer {
  readonly id: string;
  readonly state: RuntimeState;
  readonly memory: number;
  readonly cpu: number;
  readonly disk: number;
  /** Bytes a second. */
  readonly received: number;
  readonly sent: number;
  readonly totals: UsageTotals;
  readonly halt: ServerHalt | null;
}
/** What runs servers on this machine. No call throws. */
export interface MachineNode {
  machine(reserve: number | null): Promise<PanelAnswer<MachineFacts>>;
  maintain(isOn: boolean): Promise<PanelAnswer<null>>;
  list(): Promise<PanelAnswer<readonly MachineServer[]>>;
}
/** A server of this machine as it was sold. MB, percent of one core. */
export interface SoldServer {
  /** Its name at the node. */
  readonly uuid: string;
  /** Our id of it. */
  readonly id: string;
  readonly name: string;
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
  readonly ports: number;
  readonly port: number | null;
}
/** What a machine lacks to run servers, as far as this process can tell. */
export interface MachineProbe {
  readonly lacks: readonly string[];
  readonly missing: readonly string[];
}

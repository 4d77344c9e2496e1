import { daemonSaid, noConnection, PanelError } from './errors.ts';
import type { Json, NodeRow, ServerRow, Usage } from './rows.ts';
import type { PanelState } from './state.ts';

/** Something that waits for the test. */
export interface Gate {
  wait(): Promise<void>;
}
/** What the panel's call of a machine came to. A connection that never came about is `lost`. */
type Outcome = { readonly lost: true } | { readonly lost: false; readonly status: number };
const OFFLINE: Usage = { power: 'offline', memory: 0, cpu: 0, disk: 130_156_361, uptime: 0 };

/** The machines, as the panel asks them (7). What they do is the `daemon` of their node's row. */
export function createDaemons(state: PanelState, gate: Gate) {
  async function ask(node: NodeRow, method: string, path: string, body: Json, usual: number): Promise<Outcome> {
    if (node.daemon === 'refused') return { lost: true };
    state.daemonCalls.push({ node: node.id, method, path, body });
    if (node.daemon === 'cuts') return { lost: true };
    if (node.daemon === 'hangs') {
      // The panel gives up after its own time-out, whatever the machine does later (5).
      await gate.wait();
      return { lost: true };
    }
    return { lost: false, status: node.daemon === 'up' ? usual : node.daemon.status };
  }
  /** Throws what the panel makes of it. */
  async function demand(node: NodeRow, method: string, path: string, body: Json, usual: number): Promise<number> {
    const outcome = await ask(node, method, path, body, usual);
    if (outcome.lost) throw noConnection(state.dialect);
    if (outcome.status >= 400) throw daemonSaid(state.dialect, outcome.status);
    return outcome.status;
  }
  const known = (server: ServerRow, status: number): number => (state.onMachine.has(server.uuid) ? status : 404);
  /** Installations that go on, oldest first. */
  let installs: { readonly id: number; readonly sinceMs: number }[] = [];
  function begin(server: ServerRow): void {
    installs.push({ id: server.id, sinceMs: server.installingSinceMs ?? state.now() });
  }
  const base = (server: ServerRow) => `/api/servers/${server.uuid}`;

  return {
    async create(node: NodeRow, server: ServerRow, start: boolean): Promise<void> {
      await demand(node, 'POST', '/api/servers', { uuid: server.uuid, start_on_completion: start }, 202);
      state.onMachine.add(server.uuid);
      begin(server);
    },
    /** Ends the installations that began before a time (all of them unless told). Out: how many. */
    finish(succeeds: (server: ServerRow) => boolean, beforeMs = Infinity): number {
      const due = installs.filter((each) => each.sinceMs < beforeMs);
      installs = installs.filter((each) => each.sinceMs >= beforeMs);
      for (const { id } of due) {
        const server = state.servers.get(id);
        if (server) endInstall(server, succeeds(server), state.now());
      }
      return due.length;
    },
    installing: () => installs.length,
    sync: (node: NodeRow, server: ServerRow) => demand(node, 'POST', `${base(server)}/sync`, null, known(server, 204)),
    async reinstall(node: NodeRow, server: ServerRow): Promise<void> {
      await demand(node, 'POST', `${base(server)}/reinstall`, null, known(server, 202));
      begin(server);
    },
    denyTokens: (node: NodeRow, server: ServerRow) =>
      demand(node, 'POST', `${base(server)}/ws/deny`, { jtis: ['0'] }, 204),
    configure: (node: NodeRow) => demand(node, 'POST', '/api/update', {}, 200),
    /** Throws where the machine did not do it; a machine that does not know the server has nothing to do (5). */
    async remove(node: NodeRow, server: ServerRow): Promise<void> {
      const outcome = await ask(node, 'DELETE', base(server), null, known(server, 204));
      if (outcome.lost) throw noConnection(state.dialect);
      if (outcome.status !== 404 && outcome.status >= 400) throw daemonSaid(state.dialect, outcome.status);
      state.onMachine.delete(server.uuid);
    },
    async usage(node: NodeRow, server: ServerRow): Promise<Usage> {
      await demand(node, 'GET', base(server), null, known(server, 200));
      return { ...(state.usage.get(server.id) ?? OFFLINE) };
    },
    async power(node: NodeRow, server: ServerRow, signal: string): Promise<void> {
      await demand(node, 'POST', `${base(server)}/power`, { action: signal }, known(server, 202));
      const on = signal === 'start' || signal === 'restart';
      state.usage.set(
        server.id,
        on ? { ...OFFLINE, power: 'running', memory: 588_701_696, cpu: 12.345, uptime: 1283 } : { ...OFFLINE },
      );
    },
    async command(node: NodeRow, server: ServerRow, command: string): Promise<void> {
      const running = state.usage.get(server.id)?.power === 'running';
      const outcome = await ask(node, 'POST', `${base(server)}/commands`, { commands: [command] }, running ? 204 : 502);
      if (outcome.lost) throw noConnection(state.dialect);
      if (outcome.status === 502)
        throw new PanelError(502, 'HttpException', 'Server must be online in order to send commands.');
      if (outcome.status >= 400) throw daemonSaid(state.dialect, outcome.status);
    },
  };
}
export type Daemons = ReturnType<typeof createDaemons>;

/** The end of an installation, as the machine tells it (7): a suspension that came in between stays (5). */
export function endInstall(server: ServerRow, success: boolean, atMs: number): void {
  if (server.installingSinceMs === null) return;
  server.installingSinceMs = null;
  if (server.status === 'installing')
    server.status = success ? null : server.installedOnce ? 'reinstall_failed' : 'install_failed';
  server.installedOnce ||= success;
  server.updatedMs = atMs;
}

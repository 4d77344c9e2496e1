import { fieldError } from '#shared/errors.ts';
import { writeAudit } from '../audit/index.ts';
import type { Ctx } from '../kernel.ts';
import type { AbuseDeps } from './deps.ts';
import type { NetworkSet } from './ports.ts';

/** The one list that is uploaded. */
const LIST = 'vpn';

/** The host's own networks of VPNs: the list that is uploaded, and the lines typed into the settings. */
export function createVpnList(deps: AbuseDeps) {
  const { uow, clock, settings } = deps;
  let uploaded: { set: NetworkSet; atMs: number } | null = null;
  let typed: { set: NetworkSet; text: string } | null = null;
  let configured = { on: false, text: '', url: '', revision: 0 };

  /** Reads the list again when another process changed it. */
  async function load(): Promise<void> {
    const atMs = await uow.read((tx) => tx.abuse.findNetworkListTime(LIST));
    if (atMs === (uploaded?.atMs ?? null)) return;
    const list = atMs === null ? null : await uow.read((tx) => tx.abuse.findNetworkList(LIST));
    uploaded = list && { set: deps.networks.parse(list.body).set, atMs: list.updatedMs };
  }

  /** Whether an address is in one of the listed networks. */
  function has(address: string): boolean {
    const text = settings.current().vpn_networks;
    if (typed?.text !== text) typed = { text, set: deps.networks.parse(text).set };
    return typed.set.has(address) || (uploaded?.set.has(address) ?? false);
  }

  /** A short text that changes whenever the lists, the provider or the switch of the check change. */
  function version(): string {
    const { vpn_check: on, vpn_networks: text, vpn_provider_url: url } = settings.current();
    if (configured.on !== on || configured.text !== text || configured.url !== url)
      configured = { on, text, url, revision: configured.revision + 1 };
    return `${configured.revision} ${uploaded?.atMs ?? 0}`;
  }

  /**
   * Replaces the uploaded list; null removes it. Throws VALIDATION_FAILED when no line is a network. Returns the number
   * of networks, and the numbers of lines that are not one.
   */
  async function upload(ctx: Ctx | null, text: string | null): Promise<{ ranges: number; faults: readonly number[] }> {
    const read = text === null ? null : deps.networks.parse(text);
    if (read && read.set.size === 0) throw fieldError('list', 'INVALID');
    const ranges = read?.set.size ?? 0;
    await uow.run(async (tx) => {
      const before = await tx.abuse.findNetworkList(LIST);
      // Always later than the previous one, so that every process notices the change.
      const updatedMs = Math.max(clock.now(), (before?.updatedMs ?? 0) + 1);
      await tx.abuse.setNetworkList(LIST, text === null ? null : { body: text, ranges, updatedMs });
      await writeAudit(tx, deps, ctx, {
        action: 'vpn_list.put',
        target: LIST,
        before: { ranges: before?.ranges ?? 0 },
        after: { ranges },
      });
    });
    await load();
    return { ranges, faults: read?.faults ?? [] };
  }

  /** Number of networks in the uploaded list, and when it was uploaded (UTC ms); null without one. */
  async function findUploadedList(): Promise<{ ranges: number; updatedMs: number } | null> {
    const list = await uow.read((tx) => tx.abuse.findNetworkList(LIST));
    return list && { ranges: list.ranges, updatedMs: list.updatedMs };
  }

  return { load, has, version, upload, findUploadedList };
}

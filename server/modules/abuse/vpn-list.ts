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

  /** Reads the list again where another process changed it. */
  async function load(): Promise<void> {
    const atMs = await uow.read((tx) => tx.abuse.networkListTime(LIST));
    if (atMs === (uploaded?.atMs ?? null)) return;
    const list = atMs === null ? null : await uow.read((tx) => tx.abuse.networkList(LIST));
    uploaded = list && { set: deps.networks.parse(list.body).set, atMs: list.updatedMs };
  }

  /** Whether an address is in one of the listed networks. */
  function has(address: string): boolean {
    const text = settings.current().vpn_networks;
    if (typed?.text !== text) typed = { text, set: deps.networks.parse(text).set };
    return typed.set.has(address) || (uploaded?.set.has(address) ?? false);
  }

  /** Differs after each change of what an address is compared with. */
  function version(): string {
    const { vpn_check: on, vpn_networks: text, vpn_provider_url: url } = settings.current();
    return `${on} ${uploaded?.atMs ?? 0} ${text.length} ${url.length}`;
  }

  /**
   * Puts a list in the place of the last one; null takes it away. Throws VALIDATION_FAILED where no line of it is a
   * network. Out: networks, and lines that are none.
   */
  async function upload(ctx: Ctx | null, text: string | null): Promise<{ ranges: number; faults: readonly number[] }> {
    const read = text === null ? null : deps.networks.parse(text);
    if (read && read.set.size === 0) throw fieldError('list', 'INVALID');
    const ranges = read?.set.size ?? 0;
    await uow.run(async (tx) => {
      const before = await tx.abuse.networkList(LIST);
      // Later than the last one in any case, so that every process notices.
      const updatedMs = Math.max(clock.now(), (before?.updatedMs ?? 0) + 1);
      await tx.abuse.putNetworkList(LIST, text === null ? null : { body: text, ranges, updatedMs });
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

  /** Networks of the uploaded list, and when it came; null without one. */
  async function uploadedList(): Promise<{ ranges: number; updatedMs: number } | null> {
    const list = await uow.read((tx) => tx.abuse.networkList(LIST));
    return list && { ranges: list.ranges, updatedMs: list.updatedMs };
  }

  return { load, has, version, upload, uploadedList };
}

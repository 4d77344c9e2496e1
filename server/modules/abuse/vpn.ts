import { fieldError } from '#shared/errors.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import type { NetworkSet, Verdict } from './ports.ts';

export const VPN_JOB = 'abuse.vpn';
/** The one list that is uploaded. */
const LIST = 'vpn';
/** How long an answer is believed, and for how long nobody is asked again after a failure (services, vpn). */
const GOOD_MS = DAY;
const FAILED_MS = 15 * MINUTE;

/**
 * The VPN check (behaviour 4.6): the host's list of networks, and a provider by URL. The list is asked at once; the
 * provider by a job, so that nobody waits for it and a provider that is down stops nothing. What it says is kept under
 * a hash of the address (attacks T20: of the address we asked about, never of one in the answer).
 */
export function createVpn(deps: AbuseDeps) {
  const { uow, clock, ids, sealer, settings } = deps;
  let uploaded: { set: NetworkSet; atMs: number } | null = null;
  let typed: { set: NetworkSet; text: string } | null = null;

  /** Reads the list again where another process changed it. */
  async function load(): Promise<void> {
    const atMs = await uow.read((tx) => tx.abuse.networkListTime(LIST));
    if (atMs === (uploaded?.atMs ?? null)) return;
    const list = atMs === null ? null : await uow.read((tx) => tx.abuse.networkList(LIST));
    uploaded = list && { set: deps.networks.parse(list.body).set, atMs: list.updatedMs };
  }

  function listed(address: string): boolean {
    const text = settings.current().vpn_networks;
    if (typed?.text !== text) typed = { text, set: deps.networks.parse(text).set };
    return typed.set.has(address) || (uploaded?.set.has(address) ?? false);
  }

  /** Differs after each change of what an address is compared with. */
  function version(): string {
    const { vpn_check: on, vpn_networks: text, vpn_provider_url: url } = settings.current();
    return `${on} ${uploaded?.atMs ?? 0} ${text.length} ${url.length}`;
  }

  const asksProvider = (): boolean => settings.current().vpn_provider_url !== '';

  /** Looks at an address that a user came from; `value` is its hash. What only the provider knows is asked for by a job. */
  async function enqueueLookup(tx: Tx, address: string, value: string): Promise<void> {
    if (!settings.current().vpn_check) return;
    const now = clock.now();
    if (listed(address)) return tx.abuse.putVerdict(value, 'vpn', now + GOOD_MS);
    if (!asksProvider()) return tx.abuse.putVerdict(value, 'clean', now + GOOD_MS);
    if (!deps.networks.isPublic(address)) return tx.abuse.putVerdict(value, 'clean', now + GOOD_MS);
    if ((await tx.abuse.verdict(value, now)) !== null) return;
    await enqueue(tx, ids, clock, {
      kind: VPN_JOB,
      payload: { value, address: sealer.seal('abuse', value, address) },
      uniqueKey: `vpn:${value}`,
      maxAttempts: 1,
    });
  }

  /** The job: asks the provider, then keeps the answer. */
  async function run(payload: unknown): Promise<void> {
    const { value, address } = payload as { value: string; address: string };
    const opened = sealer.open('abuse', value, address);
    if (!('text' in opened)) return;
    const verdict = await deps.vpnProvider.ask(opened.text);
    await uow.run((tx) =>
      tx.abuse.putVerdict(value, verdict, clock.now() + (verdict === 'unknown' ? FAILED_MS : GOOD_MS)),
    );
  }

  /** What is known about the places of a user, the latest first. No answer is neither a VPN nor clean. */
  async function verdictOf(tx: Tx, places: readonly string[]): Promise<Verdict> {
    if (!settings.current().vpn_check) return 'clean';
    const found: (Verdict | null)[] = [];
    for (const value of places.slice(0, 10)) found.push(await tx.abuse.verdict(value, clock.now()));
    if (found.includes('vpn')) return 'vpn';
    return asksProvider() && found.length > 0 && found[0] !== 'clean' ? 'unknown' : 'clean';
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

  return {
    load,
    enqueueLookup,
    run,
    verdictOf,
    upload,
    uploadedList,
    version,
    job: { leaseMs: 30 * SECOND, handle: run },
  };
}
export type Vpn = ReturnType<typeof createVpn>;

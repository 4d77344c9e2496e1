import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import type { Verdict } from './ports.ts';
import { createVpnList } from './vpn-list.ts';

export const VPN_JOB = 'abuse.vpn';
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
  const { load, has, version, upload, uploadedList } = createVpnList(deps);

  const asksProvider = (): boolean => settings.current().vpn_provider_url !== '';

  /** Looks at an address that a user came from; `value` is its hash. What only the provider knows is asked for by a job. */
  async function enqueueLookup(tx: Tx, address: string, value: string): Promise<void> {
    if (!settings.current().vpn_check) return;
    const now = clock.now();
    if (has(address)) return tx.abuse.putVerdict(value, 'vpn', now + GOOD_MS);
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

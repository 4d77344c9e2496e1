import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import type { AbuseDeps } from './deps.ts';
import type { Verdict } from './ports.ts';
import { createVpnList } from './vpn-list.ts';

export const VPN_JOB = 'abuse.vpn';
/** How long a verdict is valid, and how long the provider is not asked again after a failure, in ms (services, vpn). */
const VERDICT_LIFE_MS = DAY;
const UNKNOWN_LIFE_MS = 15 * MINUTE;

/**
 * The VPN check (behaviour 4.6): the host's list of networks, and a provider by URL. The list is asked at once; the
 * provider by a job, so that nobody waits for it and a provider that is down stops nothing. What it says is kept under
 * a hash of the address (attacks T20: of the address we asked about, never of one in the answer).
 */
export function createVpn(deps: AbuseDeps) {
  const { uow, clock, ids, sealer, settings } = deps;
  const { load, has, version, upload, findUploadedList } = createVpnList(deps);

  const usesProvider = (): boolean => settings.current().vpn_provider_url !== '';

  /** Checks a user's address against the list and, if needed, enqueues a job for the provider; `value` is its hash. */
  async function enqueueLookup(tx: Tx, address: string, value: string): Promise<void> {
    if (!settings.current().vpn_check) return;
    const now = clock.now();
    if (has(address)) return tx.abuse.setVerdict(value, 'vpn', now + VERDICT_LIFE_MS);
    if (!usesProvider()) return tx.abuse.setVerdict(value, 'clean', now + VERDICT_LIFE_MS);
    if (!deps.networks.isPublic(address)) return tx.abuse.setVerdict(value, 'clean', now + VERDICT_LIFE_MS);
    if ((await tx.abuse.findVerdict(value, now)) !== null) return;
    await enqueue(tx, ids, clock, {
      kind: VPN_JOB,
      payload: { value, address: sealer.seal('abuse', value, address) },
      uniqueKey: `vpn:${value}`,
      maxAttempts: 1,
    });
  }

  /** The job: asks the provider and stores the verdict. */
  async function run(payload: unknown): Promise<void> {
    const { value, address } = payload as { value: string; address: string };
    const opened = sealer.open('abuse', value, address);
    if (!('text' in opened)) return;
    const verdict = await deps.vpnProvider.ask(opened.text);
    await uow.run((tx) =>
      tx.abuse.setVerdict(value, verdict, clock.now() + (verdict === 'unknown' ? UNKNOWN_LIFE_MS : VERDICT_LIFE_MS)),
    );
  }

  /**
   * The verdict on a user's places (hashes, latest first), which are listed only where they are checked. `unknown`
   * while the provider has not answered.
   */
  async function findVerdict(tx: Tx, places: () => Promise<readonly string[]>): Promise<Verdict> {
    if (!settings.current().vpn_check) return 'clean';
    const found: (Verdict | null)[] = [];
    for (const value of (await places()).slice(0, 10)) found.push(await tx.abuse.findVerdict(value, clock.now()));
    if (found.includes('vpn')) return 'vpn';
    return usesProvider() && found.length > 0 && found[0] !== 'clean' ? 'unknown' : 'clean';
  }

  return {
    load,
    enqueueLookup,
    run,
    findVerdict,
    isListed: has,
    upload,
    findUploadedList,
    version,
    job: { leaseMs: 30 * SECOND, handle: run },
  };
}
export type Vpn = ReturnType<typeof createVpn>;

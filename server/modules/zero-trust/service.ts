import { can, isStaff } from '#shared/can.ts';
import { DomainError } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { blockOf, isProven, type SessionRow } from '../identity/index.ts';
import type { Actor, Clock, Ids, SignedIn } from '../kernel.ts';
import type { Settings } from '../settings/index.ts';
import type { UnitOfWork } from '../tx.ts';

/** One refusal of a kind, of a session in a network, is logged once in so many ms: the log is not to be flooded. */
const LOGGED_EVERY = 60 * MINUTE;
/** Refusals remembered for that. */
const MAX_REMEMBERED = 10_000;

/** Commands by which one shows who one is, or ends what one does: they are what a refusal leads to. */
const ALWAYS = new Set(['passkeys.confirm', 'passkeys.startConfirm', 'passkeys.confirmByPasskey', 'viewing.end']);
/** Commands of staff that harm nobody. Every other one is dangerous, and so is a new one. */
const HARMLESS = new Set(['adminAccounts.addNote', 'adminAccounts.deleteNote', 'adminServers.reconcile']);

/** What a call asks for. */
interface Call {
  /** `group.endpoint`. */
  readonly name: string;
  readonly method: string;
  /** Who may call it. */
  readonly access: string;
  /** The permission by which staff may call it on what is a user’s. */
  readonly asStaff?: Permission | undefined;
  /** Device token of the browser; '' where it sent none. */
  readonly device: string;
}
interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Pick<Settings, 'current'>;
  /** Reads networks, one a line. */
  readonly parseNetworks: (text: string) => { readonly set: { has(address: string): boolean } };
  /** Whether the VPN check of this installation knows an address as a VPN's; asks nobody outside. */
  readonly isKnownVpn: (address: string) => Promise<boolean>;
}
type Refusal = 'network' | 'device' | 'time' | 'staff_network' | 'staff_vpn';

/**
 * Zero trust (behaviour 3.11), where the host wants it: a session alone is not enough. It is bound to a browser and a
 * network, staff come from known networks only, and confirm what is dangerous anew.
 */
export function createZeroTrust(deps: Deps) {
  const { uow, clock, ids, settings } = deps;
  const logged = new Map<string, number>();
  let staffNetworks: { text: string; set: { has(address: string): boolean } } | null = null;

  /**
   * Asserts that a call may go on, where `zero_trust_enabled` is on. Throws STAFF_NETWORK_REFUSED where staff come from
   * elsewhere, TRUST_REQUIRED where a command has to be confirmed first, UNAUTHENTICATED where the session has ended.
   */
  async function assertTrusted(ctx: SignedIn, call: Call): Promise<void> {
    if (call.access === 'open') return;
    const { actor } = ctx;
    if (actor.viewer || isStaff(actor.permissions)) await assertStaffNetwork(ctx);
    // Tokens have networks of their own, and no browser.
    if (actor.token || call.method === 'GET' || ALWAYS.has(call.name)) return;
    const session = await uow.read((tx) => tx.identity.findSession(actor.sessionId));
    if (!session) throw new DomainError('UNAUTHENTICATED');
    const refusal = refusalOf(session, ctx, call);
    if (refusal === null) return;
    await recordRefusal(ctx, refusal);
    throw new DomainError('TRUST_REQUIRED');
  }

  /** Why a command has to be confirmed first; null where it has not. */
  function refusalOf(
    session: SessionRow,
    { address, actor }: SignedIn,
    { name, access, asStaff, device }: Call,
  ): Refusal | null {
    if ((session.boundNetwork ?? blockOf(session.address)) !== blockOf(address)) return 'network';
    if (device === '' || session.boundDevice !== ids.hash(device)) return 'device';
    const isOfStaff = access.startsWith('admin.') || (asStaff !== undefined && can(actor.permissions, asStaff));
    const isDangerous = isOfStaff && !HARMLESS.has(name);
    return isDangerous && !isProven(session, clock.now()) ? 'time' : null;
  }

  async function assertStaffNetwork(ctx: SignedIn): Promise<void> {
    const { zero_trust_staff_networks: text } = settings.current();
    if (staffNetworks?.text !== text) staffNetworks = { text, set: deps.parseNetworks(text).set };
    const isElsewhere = text.trim() !== '' && !staffNetworks.set.has(ctx.address);
    if (!isElsewhere && !(await deps.isKnownVpn(ctx.address))) return;
    await recordRefusal(ctx, isElsewhere ? 'staff_network' : 'staff_vpn');
    throw new DomainError('STAFF_NETWORK_REFUSED');
  }

  /** Writes a refusal into the audit log, under who sits there. */
  async function recordRefusal(ctx: SignedIn, reason: Refusal): Promise<void> {
    const now = clock.now();
    const { actor } = ctx;
    const key = `${actor.sessionId || actor.token?.id} ${reason} ${blockOf(ctx.address)}`;
    const last = logged.get(key);
    if (last !== undefined && now - last < LOGGED_EVERY) return;
    if (logged.size >= MAX_REMEMBERED) logged.clear();
    logged.set(key, now);
    const by = ownerOf(actor);
    await uow.run((tx) =>
      writeAudit(
        tx,
        { clock, ids },
        { ...ctx, actor: by },
        {
          action: 'account.trust_refused',
          target: by.userId,
          after: { reason },
        },
      ),
    );
  }

  return { assertTrusted };
}

/** Whose session it is, also while they view as somebody. */
function ownerOf({ viewer, ...actor }: Actor): Actor {
  return viewer ? { ...actor, userId: viewer.userId, username: viewer.username, permissions: [] } : actor;
}

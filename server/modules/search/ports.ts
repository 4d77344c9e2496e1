import type { PlaceTrace } from '../kernel.ts';
import type { OrderState, Provider } from '#shared/schemas/payment.ts';
import type { QueueState, ServerState } from '#shared/schemas/server.ts';

interface FoundUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly status: 'active' | 'banned';
}
interface FoundServer {
  readonly id: string;
  readonly name: string;
  readonly state: ServerState;
  readonly address: string | null;
  /** Username. */
  readonly owner: string;
}
interface FoundOrder {
  readonly id: string;
  readonly label: string | null;
  readonly username: string | null;
  readonly provider: Provider;
  readonly state: OrderState;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
}
interface FoundCode {
  readonly id: string;
  readonly code: string;
  readonly credits: number;
}
interface FoundEntry {
  readonly id: string;
  /** Name of the server. */
  readonly server: string;
  readonly username: string;
  readonly state: QueueState;
}

/** What staff look for. Every question follows an index, so that it costs the same whatever is stored. */
export interface SearchRepo {
  /**
   * Users by the beginning of a username or an e-mail address, or by all of an id, a Discord id, a support PIN that is
   * good at this moment (UTC ms) or, where the caller may know it, the IP address of a session, or of one that they
   * were seen at (`place`: the signal that was left there).
   */
  users(
    text: string,
    options: { nowMs: number; byAddress: boolean; place: PlaceTrace | null; limit: number },
  ): Promise<FoundUser[]>;
  /** Servers by the beginning of a name or an address, or by all of an id or of a port. */
  servers(text: string, limit: number): Promise<FoundServer[]>;
  /** Orders by all of an id, of their code, or of what a gateway calls them. */
  orders(text: string, limit: number): Promise<FoundOrder[]>;
  /** Redeem codes by their beginning, three signs at least. */
  codes(text: string, limit: number): Promise<FoundCode[]>;
  /** Entries of the queue that are not over, or failed: by all of an id, or the beginning of their server’s name. */
  queue(text: string, limit: number): Promise<FoundEntry[]>;
}

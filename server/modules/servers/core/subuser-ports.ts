import type { SubuserRight } from '#shared/subusers.ts';

/** Who works on somebody else's server. */
interface Subuser {
  readonly userId: string;
  readonly username: string;
  /** At least one, in the order of SUBUSER_RIGHTS. */
  readonly rights: readonly SubuserRight[];
  readonly createdMs: number;
}
/** A server that somebody else owns. */
export interface SharedServer {
  readonly serverId: string;
  /** Username of its owner. */
  readonly owner: string;
  readonly rights: readonly SubuserRight[];
}

export interface SubusersRepo {
  /** What a user may do on a server of somebody else; null: they do not work on it. */
  findRights(serverId: string, userId: string): Promise<readonly SubuserRight[] | null>;
  /** Those of a server by username, at most MOST_SUBUSERS. */
  list(serverId: string): Promise<Subuser[]>;
  /** Servers of others that a user works on, the latest first, at most MOST_SHARED_SERVERS. */
  listShared(userId: string): Promise<SharedServer[]>;
  /** How many work on a server, and on how many servers a user works. */
  count(of: { readonly serverId: string } | { readonly userId: string }): Promise<number>;
  /** Lets somebody work on a server; false where they do already. */
  add(subuser: {
    readonly serverId: string;
    readonly userId: string;
    readonly rights: readonly SubuserRight[];
    readonly createdMs: number;
  }): Promise<boolean>;
  /** Other rights; false where they do not work on it (any more). */
  setRights(serverId: string, userId: string, rights: readonly SubuserRight[]): Promise<boolean>;
  /** Ends it; false where it has ended. */
  end(serverId: string, userId: string, atMs: number): Promise<boolean>;
  /** Ends it for everybody who works on a server. */
  endAllOf(serverId: string, atMs: number): Promise<void>;
}

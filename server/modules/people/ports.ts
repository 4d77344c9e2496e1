import type { UserRow } from '../identity/ports.ts';

type UserStatus = UserRow['status'];

/** A user as the staff's list shows them. */
export interface PersonRow {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly status: UserStatus;
  readonly role: { readonly name: string; readonly color: string };
  readonly credits: number;
  /** Credits owed after a charge-back; 0 for nearly everybody. */
  readonly debt: number;
  readonly createdMs: number;
  /** Last request of a session that is kept; null where none is. */
  readonly seenMs: number | null;
}
export type PeopleSort = 'username' | 'credits' | 'created';
export interface PeopleQuery {
  /** Beginning of a username or an address, or a whole id. */
  readonly search?: string | undefined;
  readonly roleId?: string | undefined;
  readonly status?: UserStatus | undefined;
  /** Only those who owe, or only those who do not. */
  readonly debt?: boolean | undefined;
  readonly sort: PeopleSort;
  readonly dir: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}
export interface PeopleRepo {
  /**
   * One page of the users, and how many fit. Every order and every filter has an index behind it. `total` is counted up
   * to some thousands; `more`: there are more than that.
   */
  list(query: PeopleQuery): Promise<{ rows: PersonRow[]; total: number; more: boolean }>;
  /** Usernames by id; ids of nobody are left out. */
  names(ids: readonly string[]): Promise<Map<string, string>>;
  /** Last request of a session of the user that is kept (UTC ms). */
  seen(userId: string): Promise<number | null>;
  roles(): Promise<{ id: string; name: string }[]>;
}

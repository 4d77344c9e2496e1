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
  /**
   * Beginning of a username or an e-mail address; or all of an id, of a Discord id, of a support PIN, or (`byAddress`)
   * of the IP address of a session.
   */
  readonly search?: string | undefined;
  readonly roleId?: string | undefined;
  readonly status?: UserStatus | undefined;
  /** Only those who owe, or only those who do not. */
  readonly debt?: boolean | undefined;
  /** Only those whose address is not confirmed. */
  readonly unverified?: boolean | undefined;
  readonly sort: PeopleSort;
  readonly dir: 'asc' | 'desc';
  /** Support PINs that are good at this moment count (UTC ms). */
  readonly nowMs: number;
  /** The caller may see from where users come; absent: they may not. */
  readonly byAddress?: boolean | undefined;
  readonly offset: number;
  readonly limit: number;
}
/** What staff noted of a user. */
export interface UserNote {
  readonly id: string;
  readonly authorId: string;
  /** Username of who wrote it; null where that account is gone. */
  readonly author: string | null;
  readonly text: string;
  readonly createdMs: number;
}
/** Six digits, and until when they are good (UTC ms). */
export interface SupportPin {
  readonly pin: string;
  readonly expiresMs: number;
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
  /** The notes of a user, newest first, at most `limit`. */
  listNotes(userId: string, limit: number): Promise<UserNote[]>;
  findNote(id: string): Promise<{ readonly userId: string; readonly authorId: string } | null>;
  addNote(note: Omit<UserNote, 'author'> & { readonly userId: string }): Promise<void>;
  deleteNote(id: string): Promise<void>;
  /** The PIN of a user while it is good. */
  findPin(userId: string, nowMs: number): Promise<SupportPin | null>;
  /** Gives a user a PIN in place of theirs; false when somebody else has it and it is good. */
  setPin(pin: SupportPin & { readonly userId: string; readonly createdMs: number }): Promise<boolean>;
}

import type { PlaceTrace } from '../kernel.ts';
import type { UserRow } from '../identity/ports.ts';

type UserStatus = UserRow['status'];

/** A user as the staff's list shows them. */
export interface ListedUser {
  readonly id: string;
  readonly cursor: PeopleCursor;
  readonly username: string;
  readonly email: string;
  readonly status: UserStatus;
  readonly role: { readonly name: string; readonly color: string };
  readonly credits: number;
  /** Credits owed after a charge-back; 0 for nearly everybody. */
  readonly debt: number;
  readonly isVerified: boolean;
  readonly hasFactor: boolean;
  /** They paid for something with credits at least once. */
  readonly hasSpent: boolean;
  readonly createdMs: number;
  /** Last request of a session, some minutes exact; null where none is known. */
  readonly seenMs: number | null;
}
export type PeopleSort = 'username' | 'credits' | 'created' | 'seen';
/** Where a page of the list begins or ends: what the order goes by, and whose it is. */
export interface PeopleCursor {
  /** The key of a username, credits, or UTC ms. */
  readonly value: string | number;
  readonly id: string;
}
export interface PeopleQuery {
  /**
   * Beginning of a username or an e-mail address; or all of an id, of a Discord id, of a support PIN, or (`byAddress`)
   * of the IP address of a session, or of one that users were seen at (`place`).
   */
  readonly search?: string | undefined;
  /** Only these, whatever is searched for; at most a page of them. */
  readonly ids?: readonly string[] | undefined;
  readonly roleId?: string | undefined;
  readonly status?: UserStatus | undefined;
  /** Only those who owe, or only those who do not. */
  readonly debt?: boolean | undefined;
  /** Only those whose address is not confirmed. */
  readonly unverified?: boolean | undefined;
  /** Only those whose second factor is on, or only those where it is not. */
  readonly factor?: boolean | undefined;
  /** Only those who never paid for anything with credits. */
  readonly unspent?: boolean | undefined;
  /** Only those who were last seen in this span (UTC ms; from inclusive, to exclusive; never seen is 0). */
  readonly seen?: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly sort: PeopleSort;
  readonly dir: 'asc' | 'desc';
  /** Support PINs that are good at this moment count (UTC ms). */
  readonly nowMs: number;
  /** The caller may see from where users come; absent: they may not. */
  readonly byAddress?: boolean | undefined;
  /** What users left behind at the address that is searched for, where it is one. */
  readonly place?: PlaceTrace | null | undefined;
  /** The page that follows a cursor of this order, or the one that ends in front of it; neither: the first. */
  readonly after?: PeopleCursor | undefined;
  readonly before?: PeopleCursor | undefined;
  readonly limit: number;
}
export interface PeoplePage {
  readonly rows: ListedUser[];
  /** How many fit, counted up to a thousand. */
  readonly total: number;
  /** There are more than `total`. */
  readonly isMore: boolean;
  /** There are more rows where the page was read to: after its last, or with `before` in front of its first. */
  readonly goesOn: boolean;
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
  /** One page of the users, and how many fit. Every order, and every filter in it, has an index behind it. */
  list(query: PeopleQuery): Promise<PeoplePage>;
  /** How many users fit, to the last one. */
  count(query: PeopleQuery): Promise<number>;
  /** Usernames by id; ids of nobody are left out. */
  names(ids: readonly string[]): Promise<Map<string, string>>;
  /** Last request of a session of the user (UTC ms); null where none is known. */
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

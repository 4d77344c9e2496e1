/** A change of a user's address: `doneMs` null while it waits for the link in its e-mail. */
export interface EmailChange {
  readonly id: string;
  readonly userId: string;
  readonly oldEmail: string;
  readonly newEmail: string;
  /** Version of the password that it was asked for with: another one ends it. */
  readonly passwordVersion: number;
  readonly createdMs: number;
  readonly doneMs: number | null;
  /** Until when it can be confirmed, or, once it is done, undone. UTC ms. */
  readonly expiresMs: number;
}
/** Which of a change's two links: the one of the new address, or the one of the old. */
export type EmailLink = 'confirm' | 'undo';

/** Changes of addresses in the database. Commands hold the lock of the user's row. */
export interface EmailChangesRepo {
  /** Adds a change that waits for its link. */
  add(change: Omit<EmailChange, 'doneMs'> & { readonly confirmHash: string }): Promise<void>;
  /** The change that a link belongs to, while it is good: not confirmed yet, or done and to be undone. */
  findByLink(link: EmailLink, hash: string, nowMs: number): Promise<EmailChange | null>;
  /** The change of a user that waits for its link. */
  findPending(userId: string, nowMs: number): Promise<EmailChange | null>;
  /** Ends the changes of a user that wait for their link; false where none did. */
  deletePending(userId: string, nowMs: number): Promise<boolean>;
  /** Notes that a change is done, and until when its other link (null: there is none) undoes it. */
  markDone(id: string, done: { undoHash: string | null; atMs: number; untilMs: number }): Promise<void>;
  /** Forgets the changes of a user that were asked for at or after a moment. */
  deleteSince(userId: string, sinceMs: number): Promise<void>;
  /** Whether an address is kept for another user, who may still go back to it. */
  isReserved(email: string, exceptUserId: string | null, nowMs: number): Promise<boolean>;
  /** Deletes what can neither be confirmed nor undone any more. */
  purge(nowMs: number): Promise<void>;
}

import { channel } from 'node:diagnostics_channel';

/** A statement that was sent to the database. */
export interface SentStatement {
  /** Its text, with the placeholders of whoever wrote it. */
  readonly sql: string;
  /** Whether its transaction may write. */
  readonly kind: 'write' | 'read';
}

const SENT = channel('spawnpoint.sql');

/** Tells those who listen that a statement is sent; costs nothing while nobody does. Begins and commits are none. */
export function publishSent(sql: string, kind: SentStatement['kind']): void {
  if (SENT.hasSubscribers) SENT.publish({ sql, kind } satisfies SentStatement);
}

/** Statements that this process sends while some work runs, of all transactions, in their order. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const note = (statement: unknown): void => void sent.push(statement as SentStatement);
  SENT.subscribe(note);
  try {
    await work();
  } finally {
    SENT.unsubscribe(note);
  }
  return sent;
}

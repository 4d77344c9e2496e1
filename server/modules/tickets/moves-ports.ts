import type { TicketRow } from './ports.ts';

/** What the lines of a ticket say about where it stands. */
interface LineFacts {
  /** Number of the last line; 0: there is none. */
  readonly last: number;
  /** Number of staff's last answer; 0: there is none. */
  readonly answeredSeq: number;
  readonly firstAnswerMs: number | null;
  /** Of the last message that its user can read. */
  readonly updatedMs: number | null;
  /** Who wrote that. */
  readonly updatedBy: 'user' | 'staff' | null;
}

/** A user who may not open tickets. */
interface TicketBlock {
  readonly userId: string;
  /** For staff alone; '' for none. */
  readonly reason: string;
  readonly byId: string | null;
  readonly createdMs: number;
}

export interface TicketMovesRepo {
  /**
   * Moves the lines of a ticket from a number on, with their files and what finds them, into another, where each has
   * its number + `by`.
   */
  moveLines(move: {
    readonly from: Pick<TicketRow, 'id' | 'number'>;
    readonly into: Pick<TicketRow, 'id' | 'number'>;
    readonly firstSeq: number;
    readonly by: number;
  }): Promise<void>;
  /** Has a search find the first line of a ticket by the subject as well. */
  addSubjectWords(ticket: Pick<TicketRow, 'id' | 'number' | 'subject'>): Promise<void>;
  /** What a ticket's lines say. */
  factsOf(ticketId: string): Promise<LineFacts>;
  findBlock(userId: string): Promise<TicketBlock | null>;
  /** Nothing happens to one that is there. Out: whether there was none. */
  addBlock(block: TicketBlock): Promise<boolean>;
  /** Out: whether there was one. */
  removeBlock(userId: string): Promise<boolean>;
}

/**
 * What players are ranked by (behaviour 7.1): credits in the wallet, rewards since the month began, AFK minutes,
 * servers, qualified referrals.
 */
export const BOARDS = ['credits', 'month', 'afk', 'servers', 'referrals'] as const;
export type Board = (typeof BOARDS)[number];

/** Entries shown (behaviour 7.1). */
export const LEADERBOARD_SIZE = 50;
/** The first of them, on the podium. */
export const PODIUM_SIZE = 3;

/** Whether a text names a board. */
export function isBoard(text: unknown): text is Board {
  return BOARDS.some((board) => board === text);
}

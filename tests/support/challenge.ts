import { solveChallenge, type Challenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';

/** Solves a puzzle of the server for real, as a browser's worker does. Out: the answer as commands take it. */
export async function solvePuzzle(puzzle: string): Promise<string> {
  const challenge = JSON.parse(puzzle) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

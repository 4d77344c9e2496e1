export { createChallenge, type Challenge } from './service.ts';
export type { ChallengeAction, PuzzleFault, Puzzles, Turnstile, TurnstileAnswer } from './ports.ts';

export { createChallenge, type Challenge, type Offer } from './service.ts';
export type {
  Bound,
  ChallengeAction,
  ChallengeKind,
  Holder,
  PuzzleFault,
  Puzzles,
  Turnstile,
  TurnstileAnswer,
} from './ports.ts';

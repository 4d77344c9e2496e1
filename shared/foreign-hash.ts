/** How bcrypt hashes begin: they come from the dashboard that a user was brought from. Ours are argon2id. */
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Dearest bcrypt hash that is taken over: each step more doubles the time of a log-in. */
const COST_MAX = 14;

/** Whether a stored hash was made by another dashboard: it is checked as it is, and replaced at the first log-in. */
export const isForeignHash = (stored: string | null): boolean => stored !== null && BCRYPT.test(stored);

/** Whether a hash of another dashboard may be taken over: one that can be checked, and in bounded time. */
export function isUsableForeignHash(hash: string): boolean {
  const cost = Number(BCRYPT.exec(hash)?.[1] ?? Number.NaN);
  return cost >= 4 && cost <= COST_MAX;
}

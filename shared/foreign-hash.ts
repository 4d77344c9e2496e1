/** How bcrypt hashes begin: they come from the dashboard that a user was brought from. Ours are argon2id. */
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** Whether a stored hash was made by another dashboard: it is checked as it is, and replaced at the first log-in. */
export const isForeignHash = (stored: string | null): boolean => stored !== null && BCRYPT.test(stored);

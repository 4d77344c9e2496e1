/** Levels of lines of the log, from the least. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LineLevel = (typeof LOG_LEVELS)[number];
/** From which level on lines are written; `silent`: none are. */
export type LogLevel = LineLevel | 'silent';

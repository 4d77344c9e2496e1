/** Levels of lines of the log, from the least. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LineLevel = (typeof LOG_LEVELS)[number];
/** From which level on lines are written; `silent`: none are. */
export type LogLevel = LineLevel | 'silent';

/** A place in the log's files, as it stands in an address: which kind of file, its first moment in ms, and a byte in it. */
export const LOG_PLACE = /^(all|warnings)-(\d{1,15})\.(\d{1,12})$/;

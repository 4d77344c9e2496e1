import { watchLoop } from './watch.ts';

/**
 * Loaded before a program that another one started: reports to it ten times a second how long the event loop stood
 * still.
 */
const REPORT_MS = 100;

const loop = watchLoop();
// It keeps no program from ending.
setInterval(() => process.send?.(loop.take()), REPORT_MS).unref();

import { BackupFault } from '#server/backups/fault.ts';
import type { Terminal } from './user.ts';

/** Runs a command; a backup that cannot be made, read or restored is said in words, or as a line of JSON. */
export async function withFaults(
  terminal: Terminal,
  { json }: { readonly json?: boolean | undefined },
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    if (json) terminal.out(JSON.stringify({ fault: error.code, message: error.message }));
    else terminal.err(error.message);
    return 1;
  }
}

/** Says how far a long command is: to a program only. */
export function progressOf(terminal: Terminal, { json }: { readonly json?: boolean | undefined }) {
  // The first step is said at once, however soon after the start it comes.
  let saidMs = -Infinity;
  return (step: string, done: number, all: number | null) => {
    const now = performance.now();
    if (!json || now - saidMs < 500) return;
    saidMs = now;
    terminal.out(JSON.stringify({ step, done, all }));
  };
}

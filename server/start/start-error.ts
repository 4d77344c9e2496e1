/** Why the program cannot start, in words for the person at the command line: what is wrong, where, and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

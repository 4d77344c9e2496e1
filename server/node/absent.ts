/** Whether a call to a socket failed because nobody listens there: then nothing was done. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof Error &&
  /ENOENT|EACCES|ECONNREFUSED|FailedToOpenSocket|ConnectionRefused/.test(
    `${String(error)} ${'code' in error ? String(error.code) : ''}`,
  );

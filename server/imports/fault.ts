import type { ImportFaultCode } from '#shared/imports.ts';

/** An import that cannot go on; the message says why, for the person at the command line. */
export class ImportFault extends Error {
  override readonly name = 'ImportFault';
  readonly code: ImportFaultCode;
  constructor(code: ImportFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A fault of the system's in the words of imports; anything else as it is. */
export function toImportFault(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'].includes(code))
    return new ImportFault('disk_full', 'There is not enough room on the disk.');
  if (['ENOENT', 'EACCES', 'EISDIR'].includes(code))
    return new ImportFault('not_readable', 'There is no such file, or it may not be read.');
  if (code.startsWith('Z_')) return new ImportFault('not_readable', 'The file is damaged: it cannot be unpacked.');
  return error;
}

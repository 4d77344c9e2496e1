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

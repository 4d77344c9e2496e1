import type * as z from 'zod/mini';
import { FIELD_CODES, type FieldCode, type FieldErrors } from './errors.ts';

const codes: ReadonlySet<string> = new Set(FIELD_CODES);

/** The field code of one zod issue. A refinement gives its code as the message. */
function codeOf(issue: z.core.$ZodIssue): FieldCode {
  if (codes.has(issue.message)) return issue.message as FieldCode;
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' ? (issue.minimum === 1 ? 'REQUIRED' : 'TOO_SHORT') : 'TOO_SMALL';
    case 'too_big':
      return issue.origin === 'string' ? 'TOO_LONG' : 'TOO_LARGE';
    case 'unrecognized_keys':
      return 'UNKNOWN';
    case 'invalid_type':
      return issue.input === undefined ? 'REQUIRED' : 'INVALID';
    default:
      return 'INVALID';
  }
}

/** Field → codes of a failed parse. Paths are dotted; an error of the whole input is at `form`. */
export function fieldErrors(error: z.core.$ZodError): FieldErrors {
  // Names are untrusted: in a map, `constructor` and `__proto__` are ordinary names.
  const fields = new Map<string, FieldCode[]>();
  for (const issue of error.issues) {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
    const name = path.join('.') || 'form';
    const code = codeOf(issue);
    const list = fields.get(name);
    if (!list) fields.set(name, [code]);
    else if (!list.includes(code)) list.push(code);
  }
  return Object.fromEntries(fields);
}

import type { ErrorCode, FieldCode } from '#shared/errors.ts';
import { useLooseT } from './i18n.tsx';

/** Texts of error codes: `code` for a whole answer, `field` for one field. An unknown code gets the general text. */
export function useErrorText(): {
  code: (code: ErrorCode | string) => string;
  field: (code: FieldCode | string) => string;
} {
  const t = useLooseT('errors');
  return {
    code: (code) => t([code, 'SERVER_ERROR']),
    field: (code) => t([`field.${code}`, 'field.INVALID']),
  };
}

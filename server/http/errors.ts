import { statusOf, type DomainError, type ErrorCode } from '#shared/errors.ts';
import { JSON_HEADERS } from './security.ts';

/**
 * The error envelope: `{success: false, error_code, fields?, ban?, request_id}` with the code's status (or the one
 * given).
 */
export function envelope(
  code: ErrorCode,
  requestId: string,
  details?: Pick<DomainError, 'fields' | 'retryAfterS'> & { readonly ban?: DomainError['ban'] },
  status = statusOf(code),
): Response {
  const headers: Record<string, string> = { ...JSON_HEADERS };
  if (details?.retryAfterS !== undefined) headers['Retry-After'] = String(Math.ceil(details.retryAfterS));
  const body = {
    success: false,
    error_code: code,
    ...(details?.fields ? { fields: details.fields } : {}),
    ...(details?.ban ? { ban: details.ban } : {}),
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), { status, headers });
}

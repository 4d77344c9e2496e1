import { statusOf, type DomainError, type ErrorCode } from '#shared/errors.ts';
import { JSON_HEADERS } from './security.ts';

/**
 * The response to a failed call: `{success: false, error_code, fields?, ban?, error?, request_id}`. In: `status` where
 * it is not that of the code; what it says in words.
 */
export function errorResponse(
  code: ErrorCode,
  requestId: string,
  details?: Pick<DomainError, 'fields' | 'retryAfterS'> & { readonly ban?: DomainError['ban'] },
  status = statusOf(code),
  words?: string,
): Response {
  const headers: Record<string, string> = { ...JSON_HEADERS };
  if (details?.retryAfterS !== undefined) headers['Retry-After'] = String(Math.ceil(details.retryAfterS));
  const body = {
    success: false,
    error_code: code,
    ...(details?.fields ? { fields: details.fields } : {}),
    ...(details?.ban ? { ban: details.ban } : {}),
    ...(words === undefined ? {} : { error: { code, message: words } }),
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), { status, headers });
}

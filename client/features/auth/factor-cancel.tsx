import type { ReactNode } from 'react';
import { redirectDocument } from 'react-router';

/** The server path that cancels an unfinished set-up (specification, section 7). */
const CANCEL_URL = '/api/auth/2fa/setup/kill';

/** Redirects there. */
export function loader(): Response {
  return redirectDocument(CANCEL_URL);
}

/** /auth/2fa/setup/disband: never rendered, because its loader redirects. */
export default function FactorCancelScreen(): ReactNode {
  return null;
}

import type { Dialect } from './rows.ts';

export interface Failure {
  readonly field: string;
  /** Snake case (2). */
  readonly rule: string;
  readonly detail: string;
}
/** An error of the panel: its status, the class name it gives as `code`, and its text (2). */
export class PanelError extends Error {
  override readonly name = 'PanelError';
  readonly status: number;
  readonly code: string;
  readonly failures: readonly Failure[];
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    detail: string,
    more: { failures?: readonly Failure[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.failures = more.failures ?? [];
    this.headers = more.headers ?? {};
  }
  /** The body; `status` is a string (2). */
  body(): { errors: Record<string, unknown>[] } {
    const one = { code: this.code, status: String(this.status), detail: this.message };
    if (this.failures.length === 0) return { errors: [one] };
    return {
      errors: this.failures.map((each) => ({
        ...one,
        detail: each.detail,
        meta: { source_field: each.field, rule: each.rule },
      })),
    };
  }
}
const UNEXPECTED = 'An unexpected error was encountered while processing this request, please try again.';

export const notFound = (): PanelError =>
  new PanelError(404, 'NotFoundHttpException', 'The requested resource could not be found on the server.');
export const noRoute = (path: string): PanelError =>
  new PanelError(404, 'NotFoundHttpException', `The route ${path.replace(/^\//, '')} could not be found.`);
export const invalid = (failures: readonly Failure[]): PanelError =>
  new PanelError(422, 'ValidationException', 'The given data was invalid.', { failures });
/** A text meant for people, with status 400. */
export const display = (code: string, detail: string): PanelError => new PanelError(400, code, detail);
/** What PHP threw and nobody caught. */
export const crash = (code: string): PanelError => new PanelError(500, code, UNEXPECTED);
export const denied = (detail: string): PanelError => new PanelError(403, 'AccessDeniedHttpException', detail);
export const conflict = (detail: string): PanelError => new PanelError(409, 'ServerStateConflictException', detail);
/** No connection to a machine: 504 (5), and 500 without a hint of it with Pelican (8). */
export function noConnection(dialect: Dialect): PanelError {
  if (dialect === 'pelican') return crash('ConnectionException');
  return new PanelError(
    504,
    'DaemonConnectionException',
    'Could not establish a connection to the machine running this server. Please try again.',
  );
}
/** The machine answered with an error: its status is passed on (5), and becomes 500 with Pelican (8). */
export function daemonSaid(dialect: Dialect, status: number): PanelError {
  if (dialect === 'pelican') return crash('RequestException');
  const id = '(request id: 00000000-0000-4000-8000-000000000000)';
  if (status < 500)
    return new PanelError(
      status,
      'DaemonConnectionException',
      `An error occurred on the remote host: The request was refused. ${id}`,
    );
  return new PanelError(
    status,
    'DaemonConnectionException',
    `There was an error while communicating with the machine running this server. (code: ${status}) ${id}`,
  );
}

import { crash, PanelError } from './errors.ts';
import { errorReply, type Asked, type Reply } from './router.ts';

/**
 * What may go wrong with a call (attacks T26, contract sections 1 and 5): `lostBefore` the connection is cut and
 * nothing was done; `lostAfter` it was done, then the connection is cut; `late` the connection is cut, and it is done
 * at `release`; `hang` no answer until `release`, then it is done and answered; `slowBody` it was done, and the second
 * half of the answer comes at `release`. In the place of an answer, nothing done unless `done`: `html` a page (status
 * 200 unless told), `redirect` a 302, `tooMany` a 429 with Retry-After, `race` the 500 of two at once, `deadlock` the
 * 500 of what the database took back, `status` an error with a status (503 unless told), `garbage` text that is no
 * JSON.
 */
export type FaultKind =
  | 'lostBefore'
  | 'lostAfter'
  | 'late'
  | 'hang'
  | 'slowBody'
  | 'html'
  | 'redirect'
  | 'tooMany'
  | 'race'
  | 'deadlock'
  | 'status'
  | 'garbage';
export const FAULT_KINDS: readonly FaultKind[] = [
  'lostBefore',
  'lostAfter',
  'late',
  'hang',
  'slowBody',
  'html',
  'redirect',
  'tooMany',
  'race',
  'deadlock',
  'status',
  'garbage',
];

export interface FaultOptions {
  /**
   * Method and path without `/api/application` (without `/api` for the client API), `*` for anything: `POST /servers`,
   * `GET /client*`. All calls unless told.
   */
  readonly call?: string;
  /** 1 unless told; `Infinity` until `heal`. */
  readonly times?: number;
  /** Of `html` and `status`. */
  readonly status?: number;
  /** Of `tooMany` and of `status` 503, in seconds; 30 and none unless told. */
  readonly retryAfterS?: number;
  /** The work is done all the same, and only its answer is replaced. */
  readonly done?: boolean;
}
export interface Fault extends FaultOptions {
  readonly kind: FaultKind;
}
/** Path of a call as faults and logs name it. */
export const shortPath = (pathname: string): string => pathname.replace(/^\/api(\/application)?(?=\/|$)/, '') || '/';

function pattern(call: string): RegExp {
  const escaped = call.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${escaped}$`);
}
/** Which calls go wrong. */
export function createPlanner() {
  let plans: { readonly fault: Fault; readonly fits: RegExp; left: number }[] = [];
  let decide: ((call: { readonly method: string; readonly path: string }) => Fault | null) | null = null;
  return {
    add(fault: Fault): void {
      plans.push({ fault, fits: pattern(fault.call ?? '*'), left: fault.times ?? 1 });
    },
    heal(): void {
      plans = [];
      decide = null;
    },
    /** Asks a function at every call that no plan is for. */
    by(chooser: typeof decide): void {
      decide = chooser;
    },
    next(method: string, path: string): Fault | null {
      const plan = plans.find((each) => each.left > 0 && each.fits.test(`${method} ${path}`));
      if (!plan) return decide?.({ method, path }) ?? null;
      plan.left -= 1;
      return plan.fault;
    },
  };
}
const PAGE = '<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Welcome</h1></body></html>';

/** The answer that comes in the place of the panel's. */
export function replacement(fault: Fault, asked: Asked): Reply {
  const after = (seconds: number | undefined): Record<string, string> =>
    seconds === undefined ? {} : { 'Retry-After': String(seconds) };
  switch (fault.kind) {
    case 'html':
      return { status: fault.status ?? 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, text: PAGE };
    case 'redirect':
      return {
        status: 302,
        headers: { 'Content-Type': 'text/html; charset=utf-8', Location: `${asked.url.origin}/auth/login` },
        text: PAGE,
      };
    case 'tooMany':
      return errorReply(
        new PanelError(429, 'ThrottleRequestsException', 'Too Many Attempts.', {
          headers: after(fault.retryAfterS ?? 30),
        }),
        asked,
      );
    case 'garbage':
      return { status: fault.status ?? 200, headers: { 'Content-Type': 'application/json' }, text: '{"object":"serv' };
    case 'deadlock':
      return errorReply(crash('QueryException'), asked);
    case 'race':
      return errorReply(crash('UniqueConstraintViolationException'), asked);
    default:
      return errorReply(
        new PanelError(
          fault.status ?? 503,
          fault.status === undefined || fault.status === 503 ? 'ServiceUnavailableHttpException' : 'HttpException',
          'Service Unavailable',
          { headers: after(fault.retryAfterS) },
        ),
        asked,
      );
  }
}

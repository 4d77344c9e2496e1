import { Secret, TOTP } from 'otpauth';
import { SECOND } from '#shared/time.ts';
import { DomainError } from '#shared/errors.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import { ctxOf, openBrowser, type Browser } from './browser.ts';
import { PASSWORD, type Harness, type Person } from './harness.ts';

/** How long a code of an authenticator app is shown. */
export const STEP = 30 * SECOND;

/** What the authenticator app shows at a time (UTC ms) for a secret. */
export function codeAt(secret: string, ms: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });
}

/** Six digits that no authenticator app shows around a time. */
export function wrongCode(secret: string, ms: number): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeAt(secret, ms + steps * STEP)));
  for (let code = 0; ; code += 1) {
    const text = String(code).padStart(6, '0');
    if (!near.has(text)) return text;
  }
}

export interface FactorOf {
  /** As the app has it. */
  readonly secret: string;
  /** The ten recovery codes. */
  readonly codes: readonly string[];
}

/** Begins a set-up. Out: the secret for the app. */
export async function beginFactor(harness: Harness, person: Pick<Person, 'secret'>): Promise<string> {
  const ctx = await ctxOf(harness, person.secret);
  const { twoFactor } = harness.host.services.identity;
  await twoFactor.begin(ctx, PASSWORD);
  const { pending } = await twoFactor.getState(ctx);
  if (!pending) throw new Error('nothing is being set up');
  return pending.secret;
}

/**
 * Switches the factor of a person on, and moves to the next time step, so that a fresh code is there. The session it is
 * done in counts as passed.
 */
export async function switchOn(harness: Harness, person: Pick<Person, 'secret'>): Promise<FactorOf> {
  const secret = await beginFactor(harness, person);
  const codes = await harness.host.services.identity.twoFactor.confirm(
    await ctxOf(harness, person.secret),
    codeAt(secret, harness.clock.now()),
  );
  harness.clock.advance(STEP);
  return { secret, codes };
}

/** A session of a person's just opened, as after the password alone. Out: its secret. */
export async function freshSession(harness: Harness, person: Pick<Person, 'id'>): Promise<string> {
  return (
    await harness.host.services.identity.openSession(person.id, { address: '198.51.100.9', userAgent: 'Firefox' })
  ).secret;
}

let addresses = 0;
/**
 * A browser at an address of its own, so that limits of addresses stay out of the way; with a session where a secret is
 * given.
 */
export function visitorOf(harness: Harness, secret?: string): Browser {
  const browser = openBrowser(harness, `198.51.100.${(addresses += 1) % 250}`);
  if (secret !== undefined) {
    browser.cookies.set(SESSION_COOKIE, secret);
    browser.cookies.set(MARKER_COOKIE, '1');
  }
  return browser;
}

/** What a service refuses: its code, and the codes of the fields; null where it does not. */
export async function refusal(work: Promise<unknown>): Promise<{ code: string; fields: object | undefined } | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, fields: error.fields };
  }
}

/** The refusal of a code. */
export const WRONG_CODE = { code: 'VALIDATION_FAILED', fields: { code: ['CODE_WRONG'] } };

/** Rows of the audit log about second factors, the first first. */
export async function auditedOf(harness: Harness): Promise<string[]> {
  const rows = await harness.db.sql<{ action: string }>(
    "SELECT action FROM audit WHERE action LIKE '%factor%' OR action LIKE '%recovery%' ORDER BY id",
  );
  return rows.map((row) => row.action);
}

/** Kinds of all notifications, the first first. */
export async function notificationsOf(harness: Harness): Promise<string[]> {
  return (await harness.db.sql<{ kind: string }>('SELECT kind FROM notifications ORDER BY id')).map((row) => row.kind);
}

import type { SsoPerson } from '#server/modules/sso/ports.ts';
import { email as emailSchema } from '#shared/schemas/account.ts';

/** Longest text that is taken over from a provider, in characters. */
const TEXT_MAX = 200;
/** Control characters and what nobody sees. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text of a provider as one line of bounded length; '' for what is none. */
const toLine = (text: unknown): string =>
  typeof text === 'string' ? text.replaceAll(INVISIBLE, '').trim().slice(0, TEXT_MAX) : '';

/** An address that was proven and that accounts may have; else null. */
function toEmail(text: unknown): string | null {
  const parsed = emailSchema.safeParse(text);
  // GitHub's own are no mailboxes: nothing that is sent there arrives.
  return parsed.success && !/@users\.noreply\.github\.com$/i.test(parsed.data) ? parsed.data : null;
}

interface PersonFacts {
  readonly subject: string;
  /** What they are called there: shown beside the link. */
  readonly name: unknown;
  readonly username?: unknown;
  /** Only one that the provider has proven. */
  readonly email?: unknown;
  readonly firstName?: unknown;
  readonly lastName?: unknown;
  /** Both names in one, where they are not told apart. */
  readonly fullName?: unknown;
  readonly tokens?: SsoPerson['tokens'];
}

/** A person out of what a provider says: bounded, without control characters, and with what a form of ours takes. */
export function toPerson({ subject, tokens = null, ...said }: PersonFacts): SsoPerson {
  const full = toLine(said.fullName).split(/\s+/).filter(Boolean);
  const username = toLine(said.username)
    .replaceAll(/[^A-Za-z0-9._-]/g, '')
    .slice(0, 32);
  return {
    subject,
    name: toLine(said.name).slice(0, 80) || subject.slice(0, 80),
    username: username.length >= 3 ? username : '',
    email: toEmail(said.email),
    firstName: (toLine(said.firstName) || (full[0] ?? '')).slice(0, 64),
    lastName: (toLine(said.lastName) || full.slice(1).join(' ')).slice(0, 64),
    tokens,
  };
}

import * as z from 'zod/mini';
import { compareVersions, RELEASE_VERSION } from '#shared/updates.ts';
import type { FeedSource } from './ports.ts';

/** Releases that a feed may name. */
const RELEASES = 100;
/** An address that a link may lead to. */
const webAddress = z.url({ protocol: /^https$/ }).check(z.maxLength(300));

const signed = z.object({ feed: z.string(), signature: z.string() });
const feed = z.object({
  /** Grows with each edition: an older one is not taken after a newer one. */
  sequence: z.int().check(z.minimum(1)),
  /** Until when it may be believed (ISO): whoever keeps newer ones from us cannot do so unnoticed. */
  expires: z.iso.datetime(),
  /** Where the project lives. */
  repository: webAddress,
  releases: z
    .array(
      z.object({
        version: z.string().check(z.regex(RELEASE_VERSION)),
        date: z.iso.date(),
        /** What is new in it. */
        notes: webAddress,
        /** It closes a hole. */
        security: z.boolean(),
      }),
    )
    .check(z.maxLength(RELEASES)),
});
export type Feed = z.infer<typeof feed>;
type Release = Feed['releases'][number];

/** What reading an answer of the feed's address came to. */
export type FeedRead =
  { readonly outcome: 'ok'; readonly feed: Feed } | { readonly outcome: 'invalid' | 'signature' | 'expired' };

/**
 * Reads a feed of releases: `{"feed": <JSON as text>, "signature": <base64>}`, signed with Ed25519. Nothing of it is
 * looked at before its signature is found to be right. In: the answer, the public key (base64), the time (UTC ms).
 */
export async function readFeed(
  { isSigned }: Pick<FeedSource, 'isSigned'>,
  answer: string,
  publicKey: string,
  nowMs: number,
): Promise<FeedRead> {
  const envelope = signed.safeParse(parsed(answer));
  if (!envelope.success) return { outcome: 'invalid' };
  const { feed: text, signature } = envelope.data;
  if (!(await isSigned(publicKey, signature, text))) return { outcome: 'signature' };
  const content = parseFeed(text);
  if (!content) return { outcome: 'invalid' };
  return Date.parse(content.expires) <= nowMs ? { outcome: 'expired' } : { outcome: 'ok', feed: content };
}

/** The content of a feed, of which a signature was found to be right, or which is about to get one; null: it is none. */
export function parseFeed(text: string): Feed | null {
  return feed.safeParse(parsed(text)).data ?? null;
}

/** The releases of a feed, the newest first. */
export function releasesOf(of: Feed | null): Release[] {
  return (of?.releases ?? []).toSorted((a, b) => compareVersions(b.version, a.version));
}

/** Those that are newer than a version, the newest first. */
export function newerThan(version: string, of: Feed | null): Release[] {
  return releasesOf(of).filter((release) => compareVersions(release.version, version) > 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

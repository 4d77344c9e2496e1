import { readFileSync, writeFileSync } from 'node:fs';
import { parseFeed } from '#server/modules/updates/index.ts';
import { FEED_CONTEXT } from '#shared/updates.ts';

// For whoever publishes releases:
//   bun scripts/sign-feed.ts key KEYFILE            makes a private key, and prints the public one
//   bun scripts/sign-feed.ts sign KEYFILE FEED.json prints the feed as it is published

/**
 * A feed as it is published (attacks T55). In: its content as JSON, and a private key of Ed25519. Throws where it is
 * none.
 */
export async function signFeed(content: string, privateKey: CryptoKey): Promise<string> {
  if (!parseFeed(content)) throw new Error('This is no release feed.');
  const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(FEED_CONTEXT + content));
  return JSON.stringify({ feed: content, signature: Buffer.from(signature).toString('base64') });
}

async function makeKey(file: string): Promise<string> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const kept = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  writeFileSync(file, `${kept}\n`, { mode: 0o600, flag: 'wx' });
  return Buffer.from(await crypto.subtle.exportKey('raw', publicKey)).toString('base64');
}

if (import.meta.main) {
  const [command, keyFile = '', feedFile = ''] = process.argv.slice(2);
  if (command === 'key') console.log(await makeKey(keyFile));
  else {
    const bytes = new Uint8Array(Buffer.from(readFileSync(keyFile, 'utf8'), 'base64'));
    const key = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
    console.log(await signFeed(readFileSync(feedFile, 'utf8'), key));
  }
}

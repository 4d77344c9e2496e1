/** Where Discord lives; webhooks of channels are copied from any of them. */
const ORIGINS = [
  'https://discord.com',
  'https://ptb.discord.com',
  'https://canary.discord.com',
  'https://discordapp.com',
];

/** A webhook of a channel: the public part of its address, and the token, which is a secret; null where it has none. */
interface DiscordTarget {
  readonly url: string;
  readonly token: string | null;
}

/**
 * The address of a channel's webhook as Discord gives it to whoever copies it. In: the address of Discord's API, for
 * who has another than discord.com. Out: null where it is no such address.
 */
export function splitDiscordUrl(text: string, apiUrl: string): DiscordTarget | null {
  const address = URL.parse(text);
  if (!address || address.username !== '' || address.password !== '' || address.hash !== '') return null;
  if (![...ORIGINS, URL.parse(apiUrl)?.origin].includes(address.origin)) return null;
  const found = /^(\/(?:[\w./-]+\/)?webhooks\/\d{15,20})(?:\/([\w-]{20,200}))?\/?$/.exec(address.pathname);
  if (!found?.[1] || !/^(?:\?thread_id=\d{15,20})?$/.test(address.search)) return null;
  return { url: address.origin + found[1] + address.search, token: found[2] ?? null };
}

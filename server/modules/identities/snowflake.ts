/** First moment of Discord's ids, UTC ms. */
const EPOCH = 1_420_070_400_000n;

/**
 * When what a Discord id names was made, UTC ms (discord.com/developers: the upper 42 bits of the id); null for a text
 * that is no id.
 */
export function snowflakeMs(id: string): number | null {
  return /^\d{15,20}$/.test(id) ? Number((BigInt(id) >> 22n) + EPOCH) : null;
}

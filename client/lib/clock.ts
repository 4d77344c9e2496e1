/**
 * The device's clock in ms. Use it for differences only: points in time come from the server, because devices are often
 * minutes off.
 */
export function deviceNow(): number {
  return Date.now();
}

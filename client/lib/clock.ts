/**
 * Milliseconds of this device's clock. Only differences of it are ever shown: the moment itself always comes from the
 * server, because devices are often minutes off.
 */
export function deviceNow(): number {
  return Date.now();
}

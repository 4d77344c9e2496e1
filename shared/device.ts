const SEPARATOR = ' · ';

/**
 * A device as sessions keep it and answers carry it: names that no language changes, `Firefox · Android`; the sentence
 * is the client's.
 */
export function joinDevice(browser: string | undefined, system: string | undefined): string {
  return [browser, system].filter(Boolean).join(SEPARATOR);
}

/** The two names of a device; the second is '' where only one is known, both where none is. */
export function splitDevice(device: string): { browser: string; system: string } {
  const [browser = '', system = ''] = device.split(SEPARATOR);
  return { browser, system };
}

const SEPARATOR = ' · ';

/**
 * Formats a device as sessions store it and answers carry it: untranslated names, `Firefox · Android`; the client makes
 * a sentence of it.
 */
export function joinDevice(browser: string | undefined, system: string | undefined): string {
  return [browser, system].filter(Boolean).join(SEPARATOR);
}

/** Splits a device into its two names; the second is '' if only one is known, both if none is. */
export function splitDevice(device: string): { browser: string; system: string } {
  const [browser = '', system = ''] = device.split(SEPARATOR);
  return { browser, system };
}

import { joinDevice } from '#shared/device.ts';

type List = readonly (readonly [RegExp, string])[];

/** Browsers by their token in the user agent. The order matters: most also name the browsers they descend from. */
const BROWSERS: List = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: List = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPod)\b/, 'iOS'],
  [/\biPad\b/, 'iPadOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Browser and system of a user agent, such as `Firefox · Windows`, as sessions store it; only one of them when the
 * other is unknown, '' when both are.
 */
export function deviceName(userAgent: string): string {
  return joinDevice(nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent));
}

function nameIn(list: List, userAgent: string): string | undefined {
  return list.find(([pattern]) => pattern.test(userAgent))?.[1];
}

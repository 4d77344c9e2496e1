import type { SettingGroup } from './setting-rows.ts';

/** Services elsewhere whose settings staff can try, with the group of settings that they belong to. */
export const TESTED_SERVICES = {
  mail: 'mail',
  imap: 'mail',
  push: 'integrations',
  discord: 'integrations',
  turnstile: 'integrations',
  vpn: 'integrations',
  stripe: 'payments',
  paypal: 'payments',
  linkvertise: 'integrations',
  shareus: 'integrations',
  linkpays: 'integrations',
  gyanilinks: 'integrations',
  generic: 'integrations',
  s3: 'advanced',
  imageS3: 'advanced',
} as const satisfies Readonly<Record<string, SettingGroup>>;
export type TestedService = keyof typeof TESTED_SERVICES;
export const TESTED_SERVICE_NAMES = Object.keys(TESTED_SERVICES) as [TestedService, ...TestedService[]];

/**
 * What came of a test (`staffSettings:outcome.<code>`). `notSet`: a setting that it needs is empty; `refused`: it says
 * no, mostly to our keys; `silent`: no answer; `unclear`: an answer that means neither.
 */
export const SERVICE_OUTCOMES = ['ok', 'notSet', 'refused', 'silent', 'unclear'] as const;
export interface ServiceOutcome {
  readonly outcome: (typeof SERVICE_OUTCOMES)[number];
  /** What it said, as it is, without secrets. */
  readonly fact: string | null;
}

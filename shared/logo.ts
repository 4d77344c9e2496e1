import { pictureUrl } from './picture-url.ts';

/** The host's logo. */
export interface Logo {
  readonly src: string;
  /** Whether the name stands beside it. */
  readonly withName: boolean;
}

/** The logo for a theme, that of the dark one where the light one has none; null without any. In: public settings. */
export function logoOf(settings: Readonly<Record<string, unknown>>, theme: 'dark' | 'light'): Logo | null {
  const id = String((theme === 'light' && settings.logo_light_picture) || settings.logo_picture || '');
  return id === '' ? null : { src: pictureUrl(id, 'whole'), withName: settings.logo_with_name !== false };
}

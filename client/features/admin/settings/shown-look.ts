import type { LookSettings } from '#shared/look.ts';

/** What the preview shows. */
export interface ShownLook extends LookSettings {
  readonly logo_picture: string;
  readonly logo_light_picture: string;
  readonly logo_with_name: boolean;
}

/** In: the text of a control by the key of its setting. */
export function toLook(value: (key: string) => string): ShownLook {
  return {
    accent_dark: value('accent_dark'),
    accent_light: value('accent_light'),
    background_picture: value('background_picture'),
    background_cover: Number(value('background_cover')),
    logo_picture: value('logo_picture'),
    logo_light_picture: value('logo_light_picture'),
    logo_with_name: ['on', 'true'].includes(value('logo_with_name')),
  };
}

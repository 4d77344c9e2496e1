import { PAGE_COLOURS } from '#shared/look.ts';
import { pictureUrl } from '#shared/picture-url.ts';
import { href } from '#shared/routes/href.ts';
import type { SettingValues } from '#shared/settings.ts';

type Sizes = Readonly<Record<string, { readonly width: number; readonly height: number }>>;

/**
 * The web app manifest of the installation, as JSON: what a phone or a desktop needs to keep it beside other programs.
 * In: the settings, and the sizes of the icon's forms (null: the product's own icon).
 */
export function webManifest(values: SettingValues, sizes: Sizes | null): string {
  const colour = PAGE_COLOURS[values.theme_default === 'light' ? 'light' : 'dark'];
  const start = href('dashboard');
  return JSON.stringify({
    id: start,
    name: values.app_name,
    short_name: values.app_name,
    ...(values.app_description === '' ? {} : { description: values.app_description }),
    lang: values.app_lang,
    start_url: start,
    scope: '/',
    display: 'standalone',
    theme_color: colour,
    background_color: colour,
    icons: sizes
      ? Object.entries(sizes).map(([name, { width, height }]) => ({
          src: pictureUrl(values.icon_picture, name),
          sizes: `${width}x${height}`,
          type: 'image/png',
        }))
      : [{ src: '/assets/icon.svg', sizes: 'any', type: 'image/svg+xml' }],
  });
}

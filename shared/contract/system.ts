import * as z from 'zod/mini';
import { THEMES } from '../themes.ts';
import { debugInfo } from '../debug-info.ts';
import { FLAGS } from '../flags.ts';
import { LOCALES } from '../i18n/locales.ts';
import { isPictureId } from '../picture-url.ts';
import { text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const stateQuery = z.object({ v: z.optional(text(0, 40)) });

/** Public settings, feature flags and debug facts (specification, section 3). */
export const system = group({
  settings: {
    method: 'GET',
    path: '/api/system/settings',
    summary: 'Get the public settings',
    access: 'open',
    errors: [],
    response: z.object({
      settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      flags: z.record(z.enum(FLAGS), z.boolean()),
      locales: z.array(z.enum(LOCALES)),
      debug: debugInfo,
      /** Changes with every build: a page of an older build reloads once. */
      build: z.string(),
      /**
       * What the host added to the pages: the versions of its stylesheet and script (null if there is none), whether it
       * shows ads, its plugins' modules.
       */
      custom: z.object({
        css: z.nullable(z.string()),
        js: z.nullable(z.string()),
        ads: z.boolean(),
        plugins: z.array(z.string()),
      }),
      /** The look that the host chose: the theme of whoever has not chosen one, and the tokens as a style. */
      look: z.object({
        theme: z.enum(THEMES),
        style: z.string(),
        /** Ids of pictures; null where there is none. */
        icon: z.nullable(z.string()),
        preview: z.nullable(z.string()),
        description: z.string(),
      }),
      /** Origins whose frames pages may show: Turnstile's, where the host uses it. */
      frames: z.array(z.string()),
    }),
  },
  customCss: {
    method: 'GET',
    path: '/api/system/custom.css',
    summary: 'Get the host’s stylesheet',
    description: '`v`: the version that a page was rendered with, which may be cached for long.',
    query: stateQuery,
    format: 'text',
    access: 'open',
    errors: [],
  },
  customJs: {
    method: 'GET',
    path: '/api/system/custom.js',
    summary: 'Get the host’s script',
    query: stateQuery,
    format: 'text',
    access: 'open',
    errors: [],
  },
  pluginJs: {
    method: 'GET',
    path: '/api/system/plugins/:identifier/client.js',
    summary: 'Get the module of an installed plugin for browsers',
    description: '`v`: the version that a page was rendered with, which may be cached for long.',
    params: z.object({ identifier: text(3, 40) }),
    query: stateQuery,
    format: 'text',
    access: 'open',
    errors: ['NOT_FOUND'],
  },
  picture: {
    method: 'GET',
    path: '/api/system/pictures/:id/:name',
    summary: 'Get a picture of the installation',
    params: z.object({
      id: z.string().check(z.refine(isPictureId, 'INVALID')),
      name: z.string().check(z.regex(/^[a-z0-9]{1,12}$/, 'INVALID')),
    }),
    format: 'file',
    access: 'open',
    errors: ['NOT_FOUND'],
  },
  manifest: {
    method: 'GET',
    path: '/api/system/manifest.webmanifest',
    summary: 'Get the web app manifest',
    format: 'text',
    access: 'open',
    errors: [],
  },
  ads: {
    method: 'GET',
    path: '/api/system/ga-ads',
    summary: 'Get the script of the ads',
    description: 'Empty where there are no ads.',
    format: 'text',
    access: 'open',
    errors: [],
  },
  legal: {
    method: 'GET',
    path: '/api/system/legal/:page',
    summary: 'Get a legal text',
    description: 'As HTML without anything dangerous; null where the host has none.',
    params: z.object({ page: z.enum(['privacy', 'terms']) }),
    access: 'open',
    errors: ['NOT_FOUND'],
    response: z.object({
      text: z.nullable(
        z.object({ html: z.string(), sections: z.array(z.object({ id: z.string(), title: z.string() })) }),
      ),
    }),
  },
});

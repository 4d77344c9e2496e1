import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../env.ts';
import { createAssets } from '../assets.ts';
import { createHttpApp, type HttpApp, type HttpAppDeps } from '../http/app.ts';
import type { RequestLog } from '../http/log.ts';
import { openApiDocument } from '../http/openapi.ts';
import { peerReader } from '../http/peer.ts';
import type { ApiTransport } from '../http/transport.ts';
import type { Clock, Ids } from '../modules/kernel.ts';
import { ceilings } from '#shared/ceilings.ts';
import { createApi, ENDPOINTS } from '#shared/contract/index.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { createPlainPages, PLAIN_SITE } from '../ssr/blocked.tsx';
import { loadTexts } from '../ssr/load-texts.ts';
import type { Manifest } from '../ssr/manifest.ts';
import { createPageRenderer } from '../ssr/render.tsx';
import { chooseLocale, createServerTexts } from '../ssr/texts.ts';
import { reachOf, type Reach } from '../reach.ts';
import { VERSION } from '../version.ts';

interface WebDeps {
  readonly config: Config;
  readonly transport: ApiTransport;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: RequestLog;
  /** How the installation is reached, by its settings as well; absent: by the environment alone. */
  readonly reach?: () => Reach;
  /** `serve --local`. */
  readonly local: boolean;
  /** The API alone, called by a backend-for-frontend elsewhere (`serve --only api`). */
  readonly apiOnly?: boolean;
  /** False: the API alone, without pages and files. */
  readonly pages: boolean;
  /** `serve --safe`: pages without the host's own stylesheet, script, plugins and ads. */
  readonly safe?: boolean;
  /** Counts requests, and answers for the metrics where this application has them. */
  readonly meter?: HttpAppDeps['meter'];
  readonly metrics?: HttpAppDeps['metrics'];
  /** Folder of the client's files; found by itself when absent. */
  readonly clientDir?: string;
}

/** Folder of the client's files: inside the binary, or what the last build left. */
function findClientDir(): string {
  const inside = join(import.meta.dir, 'client');
  return Bun.isStandaloneExecutable && existsSync(inside)
    ? inside
    : join(import.meta.dir, '..', '..', 'dist', 'client');
}

/**
 * The origin of images alone, by the address of the installation; null where they have none of their own. Every request
 * asks, so an address is parsed once.
 */
function imageOriginReader({ imageUrl }: Config, reach: () => Reach): () => string | null {
  const origin = imageUrl === null ? null : new URL(imageUrl).origin;
  let last = { appUrl: '', origin };
  return () => {
    const { appUrl } = reach();
    if (appUrl !== last.appUrl) last = { appUrl, origin: new URL(appUrl).origin === origin ? null : origin };
    return last.origin;
  };
}

/** Reads requests by the proxies that are trusted at the time of each. */
function currentPeerReader(reach: () => Reach): HttpAppDeps['readPeer'] {
  let proxies = reach().trustedProxies;
  let read = peerReader(proxies);
  return (request, socketAddress) => {
    const { trustedProxies } = reach();
    if (trustedProxies !== proxies) {
      proxies = trustedProxies;
      read = peerReader(proxies);
    }
    return read(request, socketAddress);
  };
}

/** The description of the API as text, for an address; made again only when that has changed. */
function documents(): (origin: string) => string {
  let last: { readonly origin: string; readonly text: string } | null = null;
  return (origin) => {
    if (last?.origin !== origin) last = { origin, text: JSON.stringify(openApiDocument(VERSION, origin)) };
    return last.text;
  };
}

/** The HTTP application over a transport to the hosting API. */
export async function composeWeb(deps: WebDeps): Promise<HttpApp> {
  const { config, transport, clock, ids, log, local, pages } = deps;
  const byEnvironment = reachOf(config, { app_url: '', trusted_proxies: '' });
  const { reach = () => byEnvironment } = deps;
  const appOrigin = () => new URL(reach().appUrl).origin;
  const document = documents();
  const common = {
    readPeer: currentPeerReader(reach),
    local,
    apiOnly: deps.apiOnly ?? false,
    compression: config.compression,
    hstsSubdomains: config.hstsSubdomains,
    ceiling: ceilings([...ENDPOINTS, ...ROUTE_LIST]),
    // That of the environment alone: a setting widens nothing (decision 115).
    appOrigin: config.appUrl === null ? null : new URL(config.appUrl).origin,
    imageOrigin: imageOriginReader(config, reach),
    transport,
    chooseLocale,
    ready: () => transport.ready(),
    meter: deps.meter,
    metrics: deps.metrics,
    openapi: () => document(appOrigin()),
    newId: ids.uuid,
    now: clock.now,
    log,
  };
  if (!pages) return createHttpApp({ ...common, assets: null, page: null, publicPages: null, buildId: VERSION });
  const dir = deps.clientDir ?? findClientDir();
  const manifest = (await Bun.file(join(dir, 'manifest.json')).json()) as Manifest;
  const texts = createServerTexts((locale) => loadTexts(join(dir, 'locales'), locale));
  const page = createPageRenderer({
    transport,
    texts,
    manifest,
    newKey: ids.uuid,
    now: clock.now,
    log,
    safe: deps.safe ?? false,
  });
  const system = createApi(
    transport.fetcher(
      {
        requestId: 'system',
        address: '',
        locale: 'en',
        secret: null,
        cookie: null,
        userAgent: '',
        signal: new AbortController().signal,
      },
      () => undefined,
    ),
    ids.uuid,
  );
  const getSite = async () => {
    try {
      const { settings, look } = await system.system.settings();
      return { name: String(settings.app_name ?? ''), look };
    } catch {
      // These pages also say what is wrong when the hosting API is away.
      return PLAIN_SITE;
    }
  };
  const apiDocument = () => openApiDocument(VERSION, appOrigin());
  const publicPages = createPlainPages({ texts, manifest, getSite, apiDocument, appOrigin });
  return createHttpApp({
    ...common,
    assets: createAssets(dir, manifest.build),
    page,
    publicPages,
    buildId: manifest.build,
  });
}

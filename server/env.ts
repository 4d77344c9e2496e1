import * as z from 'zod/mini';
import { isLoopbackName } from '#shared/loopback.ts';
import { isClientKey, panelOrigin } from '#shared/schemas/panel.ts';

/** A fault in the environment: one message that lists everything wrong. */
export class ConfigError extends Error {}

const bounded = (min: number, max: number, fallback: number) =>
  z.pipe(
    z.pipe(
      z._default(z.string().check(z.regex(/^\d{1,6}$/, 'must be a whole number')), String(fallback)),
      z.transform(Number),
    ),
    z.number().check(z.minimum(min, `must be at least ${min}`), z.maximum(max, `must be at most ${max}`)),
  );
const address = z
  .string()
  .check(z.regex(/^https?:\/\/[^\s/]+(\/[^\s]*)?$/, 'must be an address that begins with http:// or https://'));

const schema = z.object({
  HOST: z._default(z.string().check(z.regex(/^[A-Za-z0-9.:_-]+$/, 'must be an address or a host name')), '127.0.0.1'),
  PORT: bounded(0, 65_535, 3000),
  DATA_DIR: z._default(z.string().check(z.minLength(1, 'must not be empty')), './data'),
  APP_URL: z.optional(address),
  IMAGE_URL: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^https?:\/\/[^\s/]+\/?$/,
          'must be an address with http:// or https:// and nothing behind the host and port',
        ),
      ),
  ),
  APP_KEY: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9+/_=-]{43,}$/, 'must be at least 32 random bytes in base64')),
  ),
  TRUSTED_PROXIES: z.optional(z.string()),
  LOG_LEVEL: z._default(
    z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
    'info',
  ),
  DATABASE_URL: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^(postgres(ql)?:\/\/|sqlite:|file:|\.|\/)/,
          'must begin with postgres:// or sqlite: (or be the path of a file)',
        ),
      ),
  ),
  PANEL_DRIVER: z._default(
    z.enum(['embedded', 'pterodactyl', 'pelican'], 'must be embedded, pterodactyl or pelican'),
    'embedded',
  ),
  PANEL_URL: z.optional(
    z
      .string()
      .check(
        z.refine(
          (text) => panelOrigin(text) !== null,
          'must be an address with http:// or https:// and nothing behind the host and port',
        ),
      ),
  ),
  PANEL_KEY: z.optional(
    z.string().check(
      z.regex(/^[\x21-\x7e]{1,300}$/, 'must be a key of the application API'),
      z.refine((text) => !isClientKey(text), 'must be a key of the application API, not the client key of an account'),
    ),
  ),
  PANEL_CLIENT_KEY: z.optional(z.string().check(z.regex(/^[\x21-\x7e]{1,300}$/, 'must be a key of the client API'))),
  RUNTIME: z._default(z.enum(['simulated', 'auto'], 'must be simulated or auto'), 'simulated'),
  SERVERS_DIR: z._default(z.string().check(z.minLength(1, 'must not be empty')), './servers'),
  SERVER_PORTS: z._default(
    z.string().check(z.regex(/^\d{4,5}-\d{4,5}$/, 'must be two ports with - between them, like 25565-25664')),
    '25565-25664',
  ),
  DOWNLOAD_MIRROR: z.optional(
    z
      .string()
      .check(z.regex(/^https?:\/\/[^\s?#@]+$/, 'must be an address with http:// or https:// and nothing secret in it')),
  ),
  ENGINE_SOCKET: z.optional(z.string().check(z.regex(/^(?:\/\S+|off)$/, 'must be a path that begins with /, or off'))),
  REDIS_URL: z.optional(z.string().check(z.regex(/^rediss?:\/\/\S+$/, 'must begin with redis:// or rediss://'))),
  HOSTING_API_URL: z.optional(address),
  COMPRESSION: z._default(z.enum(['on', 'off'], 'must be on or off'), 'on'),
  HSTS_SUBDOMAINS: z._default(z.enum(['on', 'off'], 'must be on or off'), 'off'),
  METRICS_PORT: z.optional(bounded(0, 65_535, 0)),
  METRICS_TOKEN: z.optional(
    z.string().check(z.regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 characters without spaces')),
  ),
  MAIL_HOST: z.optional(z.string().check(z.minLength(1, 'must not be empty'))),
  MAIL_PORT: bounded(1, 65_535, 587),
  MAIL_ENCRYPTION: z._default(z.enum(['tls', 'starttls', 'none'], 'must be tls, starttls or none'), 'starttls'),
  MAIL_USERNAME: z.optional(z.string()),
  MAIL_PASSWORD: z.optional(z.string()),
  MAIL_FROM_ADDRESS: z.optional(z.string().check(z.regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'))),
  MAIL_FROM_NAME: z._default(z.string().check(z.maxLength(100)), 'Spawnpoint'),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Public address without a trailing slash; null when the operator gave none. */
  readonly appUrl: string | null;
  /** Where this machine answers: the address of the installation where nobody gave another. */
  readonly localUrl: string;
  /** Where images of users are shown, without a trailing slash; null: at the public address. */
  readonly imageUrl: string | null;
  readonly appKey: string | null;
  /** Whose forwarded headers are believed; null when the operator named nobody. */
  readonly trustedProxies: readonly string[] | null;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** PostgreSQL address, or the path of the SQLite file. */
  readonly database: string;
  /** `embedded`: locations without a panel stand at the one inside. Otherwise there is none inside. */
  readonly panelDriver: 'embedded' | 'pterodactyl' | 'pelican';
  /** `auto`: the built-in panel runs servers on this machine where it can; otherwise it imitates all of them. */
  readonly runtime: 'simulated' | 'auto';
  /** Folder of servers that run on this machine. */
  readonly serversDir: string;
  /** Ports that they get, both ends among them. */
  readonly serverPorts: { readonly first: number; readonly last: number };
  /** Where games and runtimes are asked for instead of at their sources, without a trailing slash; null: at the sources. */
  readonly downloadMirror: string | null;
  /** Socket of Docker or Podman for the node; null: where one is by default; `off`: none. */
  readonly engineSocket: string | null;
  /** The first panel of the installation, of the driver's kind; null where the environment names none. */
  readonly firstPanel: { readonly url: string; readonly key: string; readonly clientKey: string | null } | null;
  /** Where several processes share the rate limits of panels and visitors; null: each counts for itself. */
  readonly redisUrl: string | null;
  readonly hostingApiUrl: string | null;
  /** Answers are compressed here; off where a proxy in front does it. */
  readonly compression: boolean;
  /** Browsers are told that every host below this one is reached by HTTPS as well. */
  readonly hstsSubdomains: boolean;
  /** Where metrics are served beside the application; null: on no port of their own. */
  readonly metricsPort: number | null;
  /** Who knows it may read the metrics at `/metrics` as well; null: nobody may. */
  readonly metricsToken: string | null;
  readonly mail: {
    readonly host: string;
    readonly port: number;
    readonly security: 'tls' | 'starttls' | 'none';
    readonly username: string | null;
    readonly password: string | null;
    readonly fromAddress: string;
    readonly fromName: string;
  } | null;
}

/** Network notation of a proxy: an address, optionally with a prefix length. */
const NETWORK = /^[0-9a-fA-F:.]+(\/\d{1,3})?$/;

/**
 * Reads and checks the environment. In: the variables. Out: the frozen configuration. Throws ConfigError with one line
 * for each thing wrong. An empty variable counts as absent.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => name in schema.shape && value !== ''));
  const parsed = schema.safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const proxies = given.TRUSTED_PROXIES?.split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  for (const proxy of proxies ?? [])
    if (!NETWORK.test(proxy)) faults.push(`TRUSTED_PROXIES holds "${proxy}", which is not an address or a network`);
  if (given.MAIL_HOST && !given.MAIL_FROM_ADDRESS) faults.push('MAIL_FROM_ADDRESS is needed where MAIL_HOST is set');
  if (given.MAIL_HOST && given.MAIL_ENCRYPTION === 'none' && given.MAIL_PASSWORD && !isLoopbackName(given.MAIL_HOST)) {
    faults.push('MAIL_ENCRYPTION none would send MAIL_PASSWORD in clear to another machine');
  }
  if (given.PANEL_DRIVER === undefined || given.PANEL_DRIVER === 'embedded') {
    for (const name of ['PANEL_URL', 'PANEL_KEY', 'PANEL_CLIENT_KEY'])
      if (given[name] !== undefined) faults.push(`${name} needs PANEL_DRIVER to be pterodactyl or pelican`);
  } else if ((given.PANEL_URL === undefined) !== (given.PANEL_KEY === undefined))
    faults.push('PANEL_URL and PANEL_KEY go together');
  const [first = 0, last = 0] = (given.SERVER_PORTS ?? '25565-25664').split('-').map(Number);
  if (!(first >= 1024 && first <= last && last <= 65_535)) faults.push('SERVER_PORTS must lie within 1024-65535');
  if (!parsed.success || faults.length > 0)
    throw new ConfigError(`The environment cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  const e = parsed.data;
  const database = (e.DATABASE_URL ?? `${e.DATA_DIR}/spawnpoint.db`).replace(/^(sqlite|file):(\/\/(?=\/)|\/\/)?/, '');
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    dataDir: e.DATA_DIR,
    appUrl: e.APP_URL?.replace(/\/+$/, '') ?? null,
    localUrl: `http://${e.HOST}:${e.PORT}`,
    imageUrl: e.IMAGE_URL?.replace(/\/$/, '').toLowerCase() ?? null,
    appKey: e.APP_KEY ?? null,
    trustedProxies: proxies ?? null,
    logLevel: e.LOG_LEVEL,
    database,
    panelDriver: e.PANEL_DRIVER,
    runtime: e.RUNTIME,
    serversDir: e.SERVERS_DIR,
    serverPorts: { first, last },
    engineSocket: e.ENGINE_SOCKET ?? null,
    downloadMirror: e.DOWNLOAD_MIRROR?.replace(/\/+$/, '') ?? null,
    firstPanel:
      e.PANEL_URL && e.PANEL_KEY
        ? { url: panelOrigin(e.PANEL_URL) ?? e.PANEL_URL, key: e.PANEL_KEY, clientKey: e.PANEL_CLIENT_KEY ?? null }
        : null,
    redisUrl: e.REDIS_URL ?? null,
    hostingApiUrl: e.HOSTING_API_URL?.replace(/\/+$/, '') ?? null,
    compression: e.COMPRESSION === 'on',
    hstsSubdomains: e.HSTS_SUBDOMAINS === 'on',
    metricsPort: given.METRICS_PORT === undefined ? null : (e.METRICS_PORT ?? null),
    metricsToken: e.METRICS_TOKEN ?? null,
    mail:
      e.MAIL_HOST && e.MAIL_FROM_ADDRESS
        ? {
            host: e.MAIL_HOST,
            port: e.MAIL_PORT,
            security: e.MAIL_ENCRYPTION,
            username: e.MAIL_USERNAME ?? null,
            password: e.MAIL_PASSWORD ?? null,
            fromAddress: e.MAIL_FROM_ADDRESS,
            fromName: e.MAIL_FROM_NAME,
          }
        : null,
  });
}

import { openHost, type Host } from '#server/compose.ts';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { openAppKey } from '#server/start/app-key.ts';
import { assertKey } from '#server/start/installation.ts';
import { assertPresence } from '#server/start/presence.ts';
import type { CommandContext } from './run.ts';
import { createUserCommand, factorOffCommand } from './user.ts';
import { vpnCommand } from './vpn.ts';
import { mailListCommand } from './mail.ts';
import { panelCommand } from './panel.ts';
import { DomainError } from '#shared/errors.ts';
import { isSecret, isSettingKey, SETTINGS, shownValue, type SettingKey, type SettingRow } from '#shared/settings.ts';

/** What the commands of this file need to open an installation: long reads run on the answering thread where no reader is given. */
type Context = Pick<CommandContext, 'words'> & Partial<CommandContext>;

/** Opens the installation for one command, without worker and scheduler, and closes it again. */
async function withHost(config: Config, { words, spawnReader }: Context, work: (host: Host) => Promise<number>): Promise<number> {
  const log = createLog('warn', systemClock.now);
  await assertPresence(config, false, words);
  const key = openAppKey(config);
  const appUrl = config.appUrl ?? `http://${config.host}:${config.port}`;
  const host = await openHost({ config: { ...config, appUrl }, log, clock: systemClock, ids: systemIds, sample: false, key, ...(spawnReader ? { spawnReader } : {}) });
  try {
    await assertKey(config, host.database, key, words);
    return await work(host);
  } finally {
    await host.close();
    log.flush();
  }
}

/** `spawnpoint user create …`, `spawnpoint user 2fa-off …` */
export function user(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => (argv[0] === '2fa-off' ? factorOffCommand(host.services, argv.slice(1)) : createUserCommand(host.services, argv)));
}

/** `spawnpoint mail list` */
export function mail(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => mailListCommand(host.services, argv));
}

/** `spawnpoint vpn load PATH | show | clear` */
export function vpn(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => vpnCommand(host.services, argv, (path) => (path === '-' ? Bun.stdin.text() : Bun.file(path).text())));
}

/** `spawnpoint panel list | add … | test ID | sync ID` */
export function panel(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => panelCommand(host.services, argv, () => Bun.stdin.text()));
}

/** `spawnpoint ledger verify`: 0 when every balance is proven, 1 with the faults otherwise. */
export function ledger(config: Config, argv: readonly string[], context: Context): Promise<number> {
  if (argv[0] !== 'verify') return usage('spawnpoint ledger verify');
  return withHost(config, context, async ({ services }) => {
    const faults = await services.proveLedger();
    for (const { text } of faults) console.error(text);
    console.log(faults.length === 0 ? 'the ledger holds' : `${faults.length} faults`);
    return faults.length === 0 ? 0 : 1;
  });
}

const SETTINGS_USAGE = `spawnpoint settings list | get KEY | set KEY VALUE
       spawnpoint settings set KEY --file PATH   the value is the content of a file
       spawnpoint settings set KEY -             the value comes from standard input`;

/** `spawnpoint settings list | get KEY | set KEY VALUE` */
export function settings(config: Config, argv: readonly string[], context: Context): Promise<number> {
  const [verb, key] = argv;
  if (verb === 'list') {
    return withHost(config, context, async ({ services }) => {
      for (const [name, value] of Object.entries(services.settings.current())) console.log(`${name}=${isSettingKey(name) ? listed(String(shownValue(name, value))) : ''}`);
      return 0;
    });
  }
  if (!key || !isSettingKey(key)) return usage(SETTINGS_USAGE);
  if (verb === 'get') {
    return withHost(config, context, async ({ services }) => {
      console.log(String(shownValue(key, services.settings.current()[key])));
      return 0;
    });
  }
  return verb === 'set' ? setSetting(config, context, key, argv.slice(2)) : usage(SETTINGS_USAGE);
}

async function setSetting(config: Config, context: Context, key: SettingKey, given: readonly string[]): Promise<number> {
  const text = await givenText(given);
  if (text === null) return usage(SETTINGS_USAGE);
  return withHost(config, context, async ({ services }) => {
    try {
      await services.settings.set(null, { [key]: parse(key, text) });
      return 0;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      console.error(`${key} does not take "${isSecret(key) ? shownValue(key, text) : listed(text)}": ${JSON.stringify(SETTINGS[key])}`);
      return 2;
    }
  });
}

/** The value on the command line, of a file, or from standard input; null where none is given. */
async function givenText([first, path]: readonly string[]): Promise<string | null> {
  if (first === undefined) return null;
  if (first === '-') return Bun.stdin.text();
  if (first !== '--file') return first;
  return path === undefined ? null : Bun.file(path).text();
}

/** A value on one line: a long text is only measured. */
function listed(text: string): string {
  return text.length > 200 || text.includes('\n') ? `(${text.length} characters)` : text;
}

/** A value as its setting has it; what does not fit stays text and is refused. */
function parse(key: SettingKey, text: string): unknown {
  const { type } = SETTINGS[key];
  if (type === 'number') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === 'switch') return text === 'true' || text === 'on' ? true : text === 'false' || text === 'off' ? false : text;
  // A file ends with a line break that is nobody's secret.
  return isLong(key) ? text : text.replace(/\r?\n$/, '');
}

function isLong(key: SettingKey): boolean {
  const row: SettingRow = SETTINGS[key];
  return row.type === 'text' && row.lines === true;
}

function usage(text: string): Promise<number> {
  console.error(`Usage: ${text}`);
  return Promise.resolve(2);
}

import { overridesOf } from '#server/compose/environment.ts';
import type { Config } from '#server/env.ts';
import { createUserCommand, factorOffCommand } from './user.ts';
import { userDeleteCommand } from './user-delete.ts';
import { userRoleCommand } from './user-role.ts';
import { isStandingCommand, userStandingCommand } from './user-standing.ts';
import { userTokenCommand } from './user-token.ts';
import { vpnCommand } from './vpn.ts';
import { ledgerCommand } from './ledger.ts';
import { mailListCommand } from './mail.ts';
import { panelCommand } from './panel.ts';
import { withHost, type Context } from './with-host.ts';
import { DomainError } from '#shared/errors.ts';
import { parseSettingNumber, formatSetting } from '#shared/setting-text.ts';
import { changedWords, refusalWords } from './setting-words.ts';
import { isSettingKey, SETTINGS, maskedValue, type SettingKey, type SettingRow } from '#shared/settings.ts';

/**
 * `spawnpoint user create …`, `spawnpoint user 2fa-off …`, `spawnpoint user ban | unban | password …`, `spawnpoint user
 * token …`, `spawnpoint user list | role …`, `spawnpoint user delete …`
 */
export function user(config: Config, argv: readonly string[], context: Context): Promise<number> {
  if (argv[0] === 'list' || argv[0] === 'role')
    return withHost(config, context, (host) => userRoleCommand(host.services, argv));
  if (isStandingCommand(argv[0])) return withHost(config, context, (host) => userStandingCommand(host.services, argv));
  if (argv[0] === 'delete') return withHost(config, context, (host) => userDeleteCommand(host.services, argv.slice(1)));
  if (argv[0] === 'token') return withHost(config, context, (host) => userTokenCommand(host.services, argv.slice(1)));
  return withHost(config, context, (host) =>
    argv[0] === '2fa-off' ? factorOffCommand(host.services, argv.slice(1)) : createUserCommand(host.services, argv),
  );
}

/** `spawnpoint mail list` */
export function mail(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => mailListCommand(host.services, argv));
}

/** `spawnpoint vpn load PATH | show | clear` */
export function vpn(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) =>
    vpnCommand(host.services, argv, (path) => (path === '-' ? Bun.stdin.text() : Bun.file(path).text())),
  );
}

/** `spawnpoint panel list | add … | test ID | sync ID` */
export function panel(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => panelCommand(host.services, argv, () => Bun.stdin.text()));
}

/** `spawnpoint ledger verify` */
export function ledger(config: Config, argv: readonly string[], context: Context): Promise<number> {
  return withHost(config, context, (host) => ledgerCommand(host.services, argv));
}

const SETTINGS_USAGE = `spawnpoint settings list | get KEY | set KEY VALUE [KEY VALUE ...]
       spawnpoint settings set KEY --file PATH   the value is the content of a file
       spawnpoint settings set KEY -             the value comes from standard input
Several settings are changed together or not at all. A service's new address needs the service's key in the same command.`;

/** `spawnpoint settings list | get KEY | set KEY VALUE [KEY VALUE ...]` */
export function settings(config: Config, argv: readonly string[], context: Context): Promise<number> {
  const [verb, key] = argv;
  if (verb === 'list') {
    return withHost(config, context, async ({ services }) => {
      const values = services.settings.current();
      for (const [name, value] of Object.entries(values))
        console.log(
          `${name}=${isSettingKey(name) ? onOneLine(formatSetting(name, maskedValue(name, value), values.currency)) : ''}`,
        );
      return 0;
    });
  }
  if (!key) return usage(SETTINGS_USAGE);
  if (!isSettingKey(key)) {
    console.error(`There is no setting called "${onOneLine(key)}". "spawnpoint settings list" shows them all.`);
    return Promise.resolve(2);
  }
  if (verb === 'get') {
    return withHost(config, context, async ({ services }) => {
      const values = services.settings.current();
      console.log(formatSetting(key, maskedValue(key, values[key]), values.currency));
      return 0;
    });
  }
  return verb === 'set' ? setSettings(config, context, argv.slice(1)) : usage(SETTINGS_USAGE);
}

async function setSettings(config: Config, context: Context, argv: readonly string[]): Promise<number> {
  const texts = await parseAssignments(argv);
  if (texts === null) return usage(SETTINGS_USAGE);
  return withHost(config, context, async ({ services }) => {
    const before = services.settings.current();
    try {
      await services.settings.set(
        null,
        Object.fromEntries([...texts].map(([key, text]) => [key, parse(key, text, before.currency)])),
      );
      const after = services.settings.current();
      const overrides = overridesOf(config);
      for (const key of texts.keys()) {
        console.log(changedWords(key, before[key], after[key], before.currency));
        if (overrides[key]) console.log(`${overrides[key]} in the environment holds in its place.`);
      }
      return 0;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      for (const [key, codes] of Object.entries(error.fields ?? {}))
        if (isSettingKey(key))
          console.error(texts.has(key) ? refusalWords(key, codes[0], before.currency) : missingSecretText(key));
      return 2;
    }
  });
}

/** Words for a secret that is missing: its service is about to be asked at another address. */
const missingSecretText = (key: SettingKey) =>
  `${key} is sent to an address that changes: give it in the same command, or empty it.`;

/**
 * Settings and their values on the command line, of files, or from standard input (once); null where one is missing,
 * unknown or given twice.
 */
async function parseAssignments(argv: readonly string[]): Promise<ReadonlyMap<SettingKey, string> | null> {
  const texts = new Map<SettingKey, string>();
  const rest = [...argv];
  let typed = false;
  while (rest.length > 0) {
    const [key, first] = rest.splice(0, 2);
    if (key === undefined || !isSettingKey(key) || first === undefined || texts.has(key) || (first === '-' && typed))
      return null;
    typed ||= first === '-';
    const path = first === '--file' ? rest.shift() : undefined;
    if (first === '--file' && path === undefined) return null;
    texts.set(key, first === '-' ? await Bun.stdin.text() : path === undefined ? first : await Bun.file(path).text());
  }
  return texts.size === 0 ? null : texts;
}

/** A value on one line: a long text is only measured. */
function onOneLine(text: string): string {
  return text.length > 200 || text.includes('\n') ? `(${text.length} characters)` : text;
}

/** A value as its setting has it; what does not fit stays text and is refused. */
function parse(key: SettingKey, text: string, currency: string): unknown {
  const { type } = SETTINGS[key];
  if (type === 'number') return parseSettingNumber(key, text, currency) ?? text;
  if (type === 'switch')
    return text === 'true' || text === 'on' ? true : text === 'false' || text === 'off' ? false : text;
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

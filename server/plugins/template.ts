import CLIENT from './template/client.js.txt' with { type: 'text' };
import JSCONFIG from './template/jsconfig.json.txt' with { type: 'text' };
import MANIFEST from './template/plugin.json.txt' with { type: 'text' };
import README from './template/README.md.txt' with { type: 'text' };
import SERVER from './template/server.js.txt' with { type: 'text' };
import TYPES from './template/spawnpoint.d.ts.txt' with { type: 'text' };

const FILES = {
  'plugin.json': MANIFEST,
  'server.js': SERVER,
  'client.js': CLIENT,
  'README.md': README,
  'jsconfig.json': JSCONFIG,
  'spawnpoint.d.ts': TYPES,
};

/**
 * The files of a plugin to begin with, by name: it greets users by a notification, has a setting, an endpoint and a
 * card. In: its identifier, and the version of the product that it needs.
 */
export function templateFiles(identifier: string, version: string): Readonly<Record<string, string>> {
  const words = identifier.replaceAll('-', ' ');
  const values: Readonly<Record<string, string>> = {
    identifier,
    version,
    name: words.charAt(0).toUpperCase() + words.slice(1),
  };
  const fill = (text: string): string => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  return Object.fromEntries(Object.entries(FILES).map(([name, text]) => [name, fill(text)]));
}

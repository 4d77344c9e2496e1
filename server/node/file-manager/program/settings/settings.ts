import type { ConfigParser, ConfigSetting } from '#shared/config-files.ts';
import { setInJson } from './json.ts';
import { setIni, setLines, setProperties } from './lines.ts';
import { setInXml } from './xml.ts';
import { setInYaml } from './yaml.ts';

const PARSERS: Readonly<Record<ConfigParser, (text: string, settings: readonly ConfigSetting[]) => string>> = {
  properties: setProperties,
  ini: setIni,
  json: setInJson,
  yaml: setInYaml,
  xml: setInXml,
  file: setLines,
};

/**
 * The text of a configuration file with its settings in it; all else in it stays as it is. In: the text ('': the file
 * is new), and settings whose placeholders are filled in. Out: null where the text is not what the parser reads: then
 * nothing is set.
 */
export function setIn(parser: ConfigParser, text: string, settings: readonly ConfigSetting[]): string | null {
  const mark = text.startsWith('\u{feff}') ? '\u{feff}' : '';
  try {
    return mark + PARSERS[parser](text.slice(mark.length), settings);
  } catch {
    // Whatever a parser says of a file that a player wrote, or that is nested too deep for it.
    return null;
  }
}

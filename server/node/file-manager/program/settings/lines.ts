import type { ConfigSetting } from '#shared/config-files.ts';
import { valueFor } from './dotted.ts';

/** The lines of a text, and how they end. */
interface Lines {
  readonly lines: string[];
  readonly end: string;
}
function linesOf(text: string): Lines {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return { lines, end };
}
const joined = ({ lines, end }: Lines): string => lines.map((line) => line + end).join('');
const flat = (value: string | boolean): string => String(value).replaceAll(/[\r\n]+/g, ' ');

/** Lines that begin with a key become its value, as a whole; others are never added. */
export function setLines(text: string, settings: readonly ConfigSetting[]): string {
  const { lines, end } = linesOf(text);
  const set = lines.map((line) => {
    let now = line;
    for (const setting of settings)
      if (now.startsWith(setting.key)) now = String(valueFor(setting, now) ?? now).replaceAll(/\r?\n/g, end);
    return now;
  });
  return text === '' ? '' : joined({ lines: set, end });
}

/** A key of a file of properties as it stands there, to what it means. */
const plainKey = (key: string): string => key.replaceAll(/\\(.)/g, '$1');
const escapedAway = (text: string): string =>
  text.replaceAll(/[^\u0020-\u007E]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const escapedValue = (value: string): string =>
  escapedAway(
    value
      .replaceAll('\\', String.raw`\\`)
      .replaceAll('\n', String.raw`\n`)
      .replaceAll('\r', ''),
  )
    // White space at the beginning is no part of a value.
    .replace(/^ /, String.raw`\ `);
const escapedKey = (key: string): string => escapedAway(key.replaceAll(/[\\:=#! ]/g, String.raw`\$&`));
const unescaped = (value: string): string =>
  value.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, other: string | undefined) =>
    code === undefined
      ? other === 'n'
        ? '\n'
        : other === 't'
          ? '\t'
          : (other ?? '')
      : String.fromCharCode(parseInt(code, 16)),
  );

/** A line of properties: its key, what parts it from the value, the value, and whether it goes on in the next line. */
const PROPERTY =
  /^[ \t\f]*(?<key>(?:\\.|[^\\:= \t\f#!])(?:\\.|[^\\:= \t\f])*)(?<parting>[ \t\f]*[:= \t\f]?[ \t\f]*)(?<value>.*)$/;
const goesOn = (line: string): boolean => (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;

/** Brings a file of Java's properties to its settings. Comments, order, and all other lines stay. */
export function setProperties(text: string, settings: readonly ConfigSetting[]): string {
  const { lines, end } = linesOf(text);
  // A value over several lines is one.
  const rows: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    if (isOpen) rows.push(`${rows.pop()}${end}${line}`);
    else rows.push(line);
    isOpen = goesOn(line) && (isOpen || !/^[ \t\f]*[#!]/.test(line));
  }
  for (const setting of settings) {
    let isThere = false;
    for (const [at, row] of rows.entries()) {
      const whole = row.replaceAll(/\\\r?\n[ \t\f]*/g, '');
      const { key, parting, value } = PROPERTY.exec(whole)?.groups ?? {};
      if (key === undefined || plainKey(key) !== setting.key) continue;
      isThere = true;
      const now = unescaped(value ?? '');
      const given = valueFor(setting, now);
      if (given !== null && String(given) !== now)
        rows[at] = `${key}${parting === '' ? '=' : parting}${escapedValue(String(given))}`;
    }
    const given = isThere ? null : valueFor(setting, null);
    if (given !== null) rows.push(`${escapedKey(setting.key)}=${escapedValue(String(given))}`);
  }
  return joined({ lines: rows, end });
}

/** The section and the name of a key: dots within brackets part nothing, nor does any behind the first. */
function placeOf(key: string): { section: string; name: string } {
  let depth = 0;
  for (const [at, letter] of [...key].entries()) {
    if (letter === '[') depth += 1;
    else if (letter === ']') depth -= 1;
    else if (letter === '.' && depth === 0)
      return { section: unbracketed([...key].slice(0, at).join('')), name: [...key].slice(at + 1).join('') };
  }
  return { section: '', name: key };
}
/** A section that has dots in its name is written in brackets. */
const unbracketed = (section: string): string => /^\[(.*)\]$/.exec(section)?.[1] ?? section;
const SECTION = /^\s*\[(?<section>.*)\]\s*(?:[;#].*)?$/;
const ENTRY = /^\s*(?<name>[^=:;#\s](?:[^=:]*[^=:\s])?)(?<parting>\s*[=:]\s*)(?<value>.*?)\s*$/;

/** Brings a file in sections to its settings. Comments, order, and all other lines stay. */
export function setIni(text: string, settings: readonly ConfigSetting[]): string {
  const { lines, end } = linesOf(text);
  for (const setting of settings) {
    const { section, name } = placeOf(setting.key);
    let here = '';
    // Behind the last line of its section that is not empty; -1: there is no such section.
    let behind = section === '' ? 0 : -1;
    let isThere = false;
    for (const [at, line] of lines.entries()) {
      here = SECTION.exec(line)?.groups?.section?.trim() ?? here;
      if (here !== section) continue;
      if (line.trim() !== '') behind = at + 1;
      const entry = ENTRY.exec(line)?.groups;
      if (entry?.name !== name) continue;
      isThere = true;
      const given = valueFor(setting, entry.value ?? '');
      if (given !== null && flat(given) !== entry.value)
        lines[at] = `${line.slice(0, line.indexOf(name))}${name}${entry.parting ?? '='}${flat(given)}`;
    }
    const given = isThere ? null : valueFor(setting, null);
    if (given === null) continue;
    const row = `${name}=${flat(given)}`;
    if (behind >= 0) lines.splice(behind, 0, row);
    else lines.push(...(lines.length > 0 ? [''] : []), `[${section}]`, row);
  }
  return joined({ lines, end });
}

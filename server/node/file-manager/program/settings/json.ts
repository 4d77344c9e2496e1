import { applyEdits, findNodeAtLocation, modify, parseTree, type ParseError } from 'jsonc-parser';
import type { ConfigSetting } from '#shared/config-files.ts';
import { pathsOf, typed, Unreadable, valueFor } from './dotted.ts';

/** Brings a text of JSON to its settings, and leaves the rest of it as it is. Throws where it is none. */
export function setInJson(text: string, settings: readonly ConfigSetting[]): string {
  const tabs = /\n(?<tab>[ \t]+)/.exec(text)?.groups?.tab ?? '    ';
  const formattingOptions = {
    insertSpaces: !tabs.startsWith('\t'),
    tabSize: tabs.startsWith('\t') ? 4 : tabs.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  let now = text.trim() === '' ? '{}' : text;
  const read = () => {
    const errors: ParseError[] = [];
    const root = parseTree(now, errors, { allowTrailingComma: true });
    if (!root || errors.length > 0 || (root.type !== 'object' && root.type !== 'array')) throw new Unreadable('json');
    return root;
  };
  const put = (path: (string | number)[], setting: ConfigSetting): void => {
    const node = findNodeAtLocation(read(), path);
    const value = valueFor(setting, node ? String(node.value ?? '') : null);
    if (value === null) return;
    // What is there is replaced where it stands; what is not gets lines of its own.
    const edits = node
      ? [{ offset: node.offset, length: node.length, content: JSON.stringify(typed(value)) }]
      : modify(now, path, typed(value), { formattingOptions });
    now = applyEdits(now, edits);
  };
  for (const setting of settings) {
    const root = read();
    const paths = pathsOf(setting.key, (path) => {
      const node = findNodeAtLocation(root, [...path]);
      return (node?.children ?? []).map((child, at) => (node?.type === 'object' ? child.children?.[0]?.value : at));
    });
    for (const path of paths) put(path, setting);
  }
  return now;
}

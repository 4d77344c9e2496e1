import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Content of a file without white space around it; '' where it is not there or cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
/** Writes into a file of the kernel. Out: whether it took it. */
export function tryWrite(path: string, text: string | number): boolean {
  try {
    writeFileSync(path, String(text));
    return true;
  } catch {
    return false;
  }
}
/** Puts a file in the place of another, whole or not at all, also where the power fails. Only root reads it. */
export function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  const file = openSync(fresh, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
}
/** Makes a folder where there is none. */
export function ensureFolder(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode });
}

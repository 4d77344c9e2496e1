import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

/** A router in which a path without parameters is found by its name; all others by Hono's tree. */
export function createRouter<T>(): Router<T> {
  const fixed = new Map<string, [T, Record<string, never>][]>();
  const tree = new TrieRouter<T>();
  const nameOf = (method: string, path: string) => `${method} ${path}`;
  return {
    name: 'FixedFirst',
    add(method, path, handler) {
      if (/[:*]/.test(path)) return tree.add(method, path, handler);
      const name = nameOf(method, path);
      const found = fixed.get(name);
      if (found) found.push([handler, {}]);
      else fixed.set(name, [[handler, {}]]);
    },
    match(method, path): Result<T> {
      const found = fixed.get(nameOf(method, path));
      return found ? [found] : tree.match(method, path);
    },
  };
}
